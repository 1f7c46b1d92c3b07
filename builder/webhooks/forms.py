"""The form of a webhook."""

from __future__ import annotations

from typing import Any

from django import forms

from builder.optimistic_lock_form import OptimisticLock
from lexic.column_length import column_length
from lexic.styled_form import StyledFormMixin
from webhooks.models import Event, Webhook


class WebhookForm(StyledFormMixin, OptimisticLock, forms.Form):
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
    includes_questions = forms.BooleanField(label="Send the words of refused questions", required=False)

    def __init__(self, data: Any = None, *, webhook: Webhook | None = None) -> None:
        self._webhook = webhook
        super().__init__(data, initial=self.stored_initial(webhook) if webhook else None)
        self.mark_shown()

    def row_to_change(self) -> Webhook | None:
        return self._webhook

    def stored_initial(self, stored: Webhook) -> dict[str, Any]:
        return {name: getattr(stored, name) for name in ("url", "events", "includes_questions")}

    def settings(self) -> dict[str, Any]:
        """What the form says, as `manage_webhooks` takes it."""
        return {name: value for name, value in self.cleaned_data.items() if name != "seen"}
