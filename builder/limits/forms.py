"""The form of how long a plugin's content is kept, and what its answers may cost."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.template.defaultfilters import pluralize

from builder.optimistic_lock_form import OptimisticLockForm
from lexic.styled_form import StyledFormMixin
from plugins.models import Plugin
from plugins.retention import KINDS, site_retention_days

# From when the days count, and what happens at their end.
_RETENTION_TEXTS = {
    "questions": "from when a question was asked. Then its words and its answer are erased; figures stay.",
    "chats": "from the last question of a public conversation. Then the conversation is deleted.",
    "files": "from when a document was removed. Then its file and text are deleted; what a release reads stays.",
}


class LimitsForm(StyledFormMixin, OptimisticLockForm):
    """Its placeholders are what the site keeps."""

    class Meta:
        model = Plugin
        fields = (*(f"keep_{kind}_days" for kind in KINDS), "spending_cap")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for kind in KINDS:
            field, days = self.fields[f"keep_{kind}_days"], site_retention_days(kind)
            field.widget.attrs["placeholder"] = str(days)
            field.help_text = (
                f"In days, {_RETENTION_TEXTS[kind]} 0: until the plugin is deleted. Empty: {_in_words(days)}."
            )
        self.fields["spending_cap"].help_text = (
            f"In {settings.LEXIC_LLM_CURRENCY} a calendar month (UTC), for what language models charge. Once that is "
            "spent, questions are refused with status 429 until the month ends or you raise it. A model on this site's "
            "own machines costs nothing. Empty: no cap."
        )


def _in_words(days: int) -> str:
    """What a plugin keeps that says nothing."""
    return (
        f"{days} day{pluralize(days)}, the default of this site"
        if days
        else "until the plugin is deleted, the default of this site"
    )
