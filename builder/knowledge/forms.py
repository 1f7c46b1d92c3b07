"""The forms of the pane: pasted text, addresses, and what people say about a document."""

from __future__ import annotations

from typing import Any

from django import forms

from knowledge.documents.metadata_columns import METADATA_COLUMNS
from knowledge.models import Document
from lexic.styled_form import StyledFormMixin

SUPPORTED_TYPES_TEXT = "PDF, Word (.docx), Markdown, HTML, JSON or plain text."
MAX_TEXT_LENGTH = 1_000_000
MAX_ADDRESSES = 50


class TextForm(StyledFormMixin, forms.Form):
    title = forms.CharField(
        max_length=300,
        help_text="What citations call it. Under the same title, the text is a newer version.",
    )
    text = forms.CharField(
        max_length=MAX_TEXT_LENGTH,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text="Plain text or Markdown. Headings (#) become the sections that citations name.",
    )


class AddressesForm(StyledFormMixin, forms.Form):
    addresses = forms.CharField(
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


class DescriptionForm(StyledFormMixin, forms.ModelForm):
    """Title, type, dates, tags and status of a document."""

    class Meta:
        model = Document
        fields = ["title", *METADATA_COLUMNS]
        labels = {"doc_type": "Type", "doc_date": "Dated", "doc_status": "Status"}
        widgets = {
            name: forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
            for name in ("doc_date", "effective_from", "superseded_on")
        }
        help_texts = {
            "title": "What citations call it.",
            "doc_type": "Such as “standard” or “minutes”. Questions can be limited to a type.",
            "doc_date": "The day the document is from.",
            "doc_status": "Such as “draft” or “in force”.",
            "tags": "With commas between them.",
            "project": "Questions can be limited to a project.",
            "is_template": "A form to fill in, that questions may leave out.",
            "is_public": "Questions may be limited to public documents.",
            "effective_from": "First day on which it is valid.",
            "superseded_on": "First day on which it is no longer valid.",
        }

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        first, last = data.get("effective_from"), data.get("superseded_on")
        if first and last and last <= first:
            self.add_error("superseded_on", "This is not after the day from which it is valid.")
        return data
