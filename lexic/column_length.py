"""The length limit of a column, declared at the column and used by whatever validates input for it."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models


def column_length(model: type[models.Model], name: str) -> int:
    """How many characters the column takes; of an array, each item. Raises `ValueError` where it has no limit."""
    column = model._meta.get_field(name)
    length: int | None = getattr(column.base_field if isinstance(column, ArrayField) else column, "max_length", None)
    if length is None:
        raise ValueError(f"{model.__name__}.{name} has no limit of characters.")
    return length
