"""What a visitor may send."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django import forms

from conversations.asking import Said

MOST_CHARACTERS = 2000
LONGEST_ANSWER = 500


class ChatForm(forms.Form):
    """A question, or the answer to what was asked back (`token` and `answer`)."""

    question = forms.CharField(max_length=MOST_CHARACTERS, required=False)
    token = forms.CharField(max_length=20_000, required=False)
    answer = forms.CharField(max_length=LONGEST_ANSWER, required=False)
    session = forms.UUIDField(required=False)
    timezone = forms.CharField(max_length=64, required=False, empty_value="UTC")

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        if not (said.get("question") or said.get("token")) and "question" not in self.errors:
            self.add_error("question", "Write a question first.")
        if said.get("token") and not said.get("answer"):
            self.add_error("answer", "Choose one of the answers, or write one.")
        return said

    @classmethod
    def session_in(cls, posted: Mapping[str, Any]) -> UUID | None:
        """The conversation that a form names, whatever else is wrong with it."""
        form = cls(posted)
        form.is_valid()
        return form.cleaned_data.get("session")

    @property
    def said(self) -> Said:
        return Said(**self.cleaned_data)

    @property
    def first_error(self) -> str:
        return str(next(iter(self.errors.values()))[0])
