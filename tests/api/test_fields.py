from __future__ import annotations

from typing import Any

import pytest
from rest_framework import serializers

from api.fields import StrictChoiceField


@pytest.mark.parametrize("sent", ["pdf", 3])
def test_an_unknown_choice_is_told_which_there_are(sent: Any) -> None:
    field = StrictChoiceField(["csv", "json"], allow_blank=True)
    with pytest.raises(serializers.ValidationError) as refused:
        field.run_validation(sent)
    assert str(refused.value.detail[0]) == f"“{sent}” is not known here. Known are: csv, json."
