"""The form in which a visitor asks."""

from __future__ import annotations

from querying.forms import QuestionForm, question_field

MAX_QUESTION_LENGTH = 1000


class VisitorQuestionForm(QuestionForm):
    """What the box on a plugin's page sends."""

    question = question_field(MAX_QUESTION_LENGTH)
