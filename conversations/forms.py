"""The forms of visitors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django import forms

from conversations.public_questions import VisitorMessage
from querying.forms import QuestionForm, question_field

MAX_CHAT_QUESTION_CHARACTERS = 2000


class ChatForm(QuestionForm):
    """What the form of a chat sends, and in which conversation."""

    question = question_field(MAX_CHAT_QUESTION_CHARACTERS)
    session = forms.UUIDField(required=False)
    timezone = forms.CharField(max_length=64, required=False, empty_value="UTC")

    @classmethod
    def posted_session_id(cls, posted: Mapping[str, Any]) -> UUID | None:
        """The conversation that the form names, whatever else is wrong with the form."""
        form = cls(posted)
        form.is_valid()
        return form.cleaned_data.get("session")

    @property
    def message(self) -> VisitorMessage:
        return VisitorMessage(**self.cleaned_data)
