"""Texts of several lines are measured as the browser shows them."""

from __future__ import annotations

import pytest
from django import forms

from lexic.multiline_field import MultilineField


class Note(forms.Form):
    text = MultilineField(max_length=5, required=False)


@pytest.mark.parametrize(
    ("sent", "kept"), [("ab\r\ncd", "ab\ncd"), ("ab\rcd", "ab\ncd"), (" ab\ncd ", "ab\ncd"), ("", ""), (None, "")]
)
def test_the_end_of_a_line_is_one_character(sent: str | None, kept: str) -> None:
    form = Note({"text": sent} if sent is not None else {})
    assert form.is_valid(), form.errors
    assert form.cleaned_data["text"] == kept


def test_what_is_longer_is_refused() -> None:
    assert not Note({"text": "abc\r\ncd"}).is_valid()
