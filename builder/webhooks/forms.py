"""The form of a webhook."""

from __future__ import annotations

from typing import Any

from django import forms

from lexic.column_length import column_length
from lexic.styled_form import StyledFormMixin
from webhooks.models import Event, Webhook


class WebhookForm(StyledFormMixin, forms.Form):
    url = forms.CharField(
        label="Address",
        max_length=column_length(Webhook, "url"),
        widget=forms.URLInput(attrs={"placeholder": "https://example.org/lexic", "autocomplete": "off"}),
    )
    events = forms.MultipleChoiceField(
        label="Events to send",
        choices=Event.choices,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one event."},
    )
    includes_questions = forms.BooleanField(required=False)

    def __init__(self, data: Any = None, *, webhook: Webhook | None = None) -> None:
        names = ("url", "events", "includes_questions")
        super().__init__(data, initial={name: getattr(webhook, name) for name in names} if webhook else None)
