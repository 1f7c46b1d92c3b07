"""What a visitor may ask."""

from __future__ import annotations

from django import forms

from querying.forms import QuestionForm

MAX_QUESTION_LENGTH = 1000


class VisitorQuestionForm(QuestionForm):
    """What the box on a plugin's page sends."""

    question = forms.CharField(max_length=MAX_QUESTION_LENGTH, required=False)
