"""What a visitor may ask."""

from __future__ import annotations

from django import forms

from querying.visitor_form import VisitorForm

MOST_CHARACTERS = 1000


class TryForm(VisitorForm):
    """What the box on a plugin's page sends."""

    question = forms.CharField(max_length=MOST_CHARACTERS, required=False)
