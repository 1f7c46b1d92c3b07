"""What a visitor may ask."""

from __future__ import annotations

from typing import Any

from django import forms

MOST_CHARACTERS = 1000
LONGEST_ANSWER = 500


class TryForm(forms.Form):
    """A question, or the answer to what was asked back (`token` and `answer`)."""

    question = forms.CharField(max_length=MOST_CHARACTERS, required=False, widget=forms.Textarea(attrs={"rows": 1}))
    token = forms.CharField(max_length=20_000, required=False, widget=forms.HiddenInput)
    answer = forms.CharField(max_length=LONGEST_ANSWER, required=False, widget=forms.HiddenInput)

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
