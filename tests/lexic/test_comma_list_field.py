"""Words with commas between them, as people type them."""

from __future__ import annotations

import pytest
from django import forms

from lexic.comma_list_field import CommaListField

FIELD = CommaListField(forms.CharField(max_length=10), required=False)


@pytest.mark.parametrize("typed", ["belay, safety", " belay,, safety , ", "belay, safety, belay", ",belay,safety,"])
def test_empty_and_repeated_words_are_left_out(typed: str) -> None:
    assert FIELD.clean(typed) == ["belay", "safety"]


@pytest.mark.parametrize("typed", ["", " , ", None])
def test_nothing_is_an_empty_list(typed: str | None) -> None:
    assert FIELD.clean(typed) == []


def test_word_that_is_too_long_is_named_by_its_place() -> None:
    with pytest.raises(forms.ValidationError) as refused:
        FIELD.clean("belay, carabiners of steel")
    assert refused.value.messages == ["Entry 2: Ensure this value has at most 10 characters (it has 19)."]
