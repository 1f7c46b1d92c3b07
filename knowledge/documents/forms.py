"""The forms that bring in documents: pasted text, and addresses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from django import forms

from knowledge.documents.lifecycle import add_text
from knowledge.documents.upload_outcomes import UploadOutcome, short_name, try_add
from knowledge.models import Document, KnowledgeBase
from knowledge.readers.formats import FORMAT_NAMES
from lexic.column_length import column_length
from lexic.multiline_field import MultilineField
from lexic.styled_form import StyledFormMixin

SUPPORTED_TYPES_TEXT = f"{FORMAT_NAMES}."
MAX_TEXT_LENGTH = 1_000_000
MAX_ADDRESSES = 50


class TextForm(StyledFormMixin, forms.Form):
    title = forms.CharField(
        max_length=column_length(Document, "title"),
        help_text="What citations call it. Under the same title, the text is a newer version.",
    )
    text = MultilineField(
        max_length=MAX_TEXT_LENGTH,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text="Plain text or Markdown. Headings (#) become the sections that citations name.",
    )

    def add_to(self, knowledge_base: KnowledgeBase) -> UploadOutcome | None:
        """Adds the text. None where it is refused; then the form says why."""
        title, text = self.cleaned_data["title"], self.cleaned_data["text"]
        outcome = try_add(title, lambda: add_text(knowledge_base=knowledge_base, title=title, text=text))
        if outcome.is_in:
            return outcome
        self.add_error("text", outcome.said)
        return None


class AddressesForm(StyledFormMixin, forms.Form):
    addresses = MultilineField(
        max_length=100_000,
        widget=forms.Textarea(attrs={"rows": 4, "placeholder": "https://example.org/handbook", "spellcheck": "false"}),
        help_text=f"Public web pages or files, one address on a line, at most {MAX_ADDRESSES}. "
        "One that is known already is fetched again.",
    )

    def clean_addresses(self) -> list[str]:
        """Distinct lines, in order."""
        lines = (line.strip() for line in self.cleaned_data["addresses"].splitlines())
        addresses = list(dict.fromkeys(line for line in lines if line))
        if len(addresses) > MAX_ADDRESSES:
            raise forms.ValidationError(f"These are {len(addresses)} addresses; at most {MAX_ADDRESSES} at a time.")
        return addresses

    @classmethod
    def of_refused(cls, outcomes: Sequence[UploadOutcome]) -> Self:
        """The form with those that were refused, each with its reason."""
        refused = [outcome for outcome in outcomes if not outcome.is_in]
        form = cls({"addresses": "\n".join(outcome.name for outcome in refused)}, auto_id="url_%s")
        form.full_clean()
        for outcome in refused:
            form.add_error("addresses", f"{short_name(outcome.name)}: {outcome.said}")
        return form
