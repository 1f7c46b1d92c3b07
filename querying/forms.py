"""What anybody may send who asks on a public page, whichever page it is."""

from __future__ import annotations

from typing import Any

from django import forms

from lexic.errors import InvalidInput

MAX_ANSWER_CHARACTERS = 500


class InvalidQuestion(InvalidInput):
    """This cannot be asked."""

    hint = "Nothing was asked."


class VisitorForm(forms.Form):
    """A question, or the answer to what was asked back (`token` and `answer`). Each page bounds its `question`."""

    question: forms.CharField
    token = forms.CharField(max_length=20_000, required=False)
    answer = forms.CharField(max_length=MAX_ANSWER_CHARACTERS, required=False)

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        if not (said.get("question") or said.get("token")) and "question" not in self.errors:
            self.add_error("question", "Write a question first.")
        if said.get("token") and not said.get("answer"):
            self.add_error("answer", "Choose one of the answers, or write one.")
        return said

    @property
    def first_error(self) -> str:
        return str(next(iter(self.errors.values()))[0])
