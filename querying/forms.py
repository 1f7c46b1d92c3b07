"""The base of forms that ask a plugin, on every page."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from lexic.errors import InvalidInput
from lexic.multiline_field import MultilineField

# The longest question of a key, or of somebody who works on the plugin. Public pages have a lower limit.
MAX_QUESTION_CHARACTERS = 4000
MAX_ANSWER_CHARACTERS = 500
# The longest message of the conversation before the question.
MAX_TURN_CHARACTERS = 20_000
# The longest signed state that comes with a question back.
MAX_TOKEN_CHARACTERS = 20_000


class InvalidQuestion(InvalidInput):
    """This cannot be asked."""

    hint = "Nothing was asked."


def question_field(max_characters: int) -> forms.CharField:
    """The field `question` of a form."""
    too_long = gettext_lazy(
        "Your question has %(show_value)d characters, and may have %(limit_value)d. Shorten it, and ask again."
    )
    return MultilineField(max_length=max_characters, required=False, error_messages={"max_length": too_long})


class QuestionForm(forms.Form):
    """A question, or the answer to what was asked back (`token` and `answer`). Each page bounds its `question`."""

    question: forms.CharField
    token = forms.CharField(max_length=MAX_TOKEN_CHARACTERS, required=False, widget=forms.HiddenInput)
    answer = forms.CharField(max_length=MAX_ANSWER_CHARACTERS, required=False, widget=forms.HiddenInput)

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if not (values.get("question") or values.get("token")) and "question" not in self.errors:
            self.add_error("question", gettext("Write a question first."))
        if values.get("token") and not values.get("answer"):
            self.add_error("answer", gettext("Choose one of the answers, or write one."))
        return values

    def check(self) -> None:
        """Raises `InvalidQuestion` with the first error."""
        if not self.is_valid():
            raise InvalidQuestion(self.first_error)

    @property
    def first_error(self) -> str:
        return str(next(iter(self.errors.values()))[0])
