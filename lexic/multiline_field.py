"""A form field for a text of several lines."""

from __future__ import annotations

from typing import Any

from django import forms


class MultilineField(forms.CharField):
    """A text of several lines. A browser counts the end of a line as one character and sends two: here it is one
    before the text is measured."""

    widget = forms.Textarea

    def to_python(self, value: Any) -> str:
        text = super().to_python(value) or ""
        return text.replace("\r\n", "\n").replace("\r", "\n")
