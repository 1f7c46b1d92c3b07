"""How long a text may be is declared at its column."""

from __future__ import annotations

import pytest
from django.db import models

from knowledge.models import Chunk, Document, Page
from lexic.column_length import column_length
from plugins.models import Plugin


@pytest.mark.parametrize(
    ("model", "name", "length"), [(Document, "title", 300), (Chunk, "section_path", 200), (Plugin, "tags", 40)]
)
def test_it_is_that_of_the_column_or_of_each_item(model: type[models.Model], name: str, length: int) -> None:
    assert column_length(model, name) == length


@pytest.mark.parametrize("name", ["text", "number"])
def test_a_column_without_one_has_none(name: str) -> None:
    with pytest.raises(ValueError, match=f"Page.{name}"):
        column_length(Page, name)
