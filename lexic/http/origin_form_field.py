"""The field of a form for the origins of web pages, in one line."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.postgres.forms import SimpleArrayField

from lexic.http.origins import MAX_ORIGIN_LENGTH, MAX_ORIGINS, read_origin


class OriginsFormField(SimpleArrayField):
    """Origins with commas or spaces between them, as a browser writes them."""

    def __init__(self, **options: Any) -> None:
        origin = forms.CharField(max_length=MAX_ORIGIN_LENGTH)
        super().__init__(origin, max_length=MAX_ORIGINS, required=False, **options)

    def to_python(self, value: Any) -> Any:
        """No origin holds a space, so people may write one in place of a comma, or after it."""
        return super().to_python(",".join(value.replace(",", " ").split()) if isinstance(value, str) else value)

    def clean(self, value: Any) -> list[str]:
        try:
            return [read_origin(origin) for origin in super().clean(value)]
        except ValueError as error:
            raise forms.ValidationError(str(error)) from None
