"""The form of a document's metadata."""

from __future__ import annotations

from typing import Any

from django import forms

from builder.optimistic_lock_form import OptimisticLockForm
from knowledge.documents.metadata_columns import METADATA_COLUMNS
from knowledge.models import Document, KnowledgeBase
from language.language_identification import LANGUAGE_NAMES
from lexic.comma_list_field import CommaListField
from lexic.styled_form import StyledFormMixin


class DescriptionForm(StyledFormMixin, OptimisticLockForm):
    """Title, language, type, dates, tags and status of a document."""

    language = forms.ChoiceField(
        choices=[("", "Not known"), *LANGUAGE_NAMES.items()],
        required=False,
        help_text="Detected when the document is first read. The search finds each form of a word in it.",
    )

    # In rows of three: what it is, when it holds, how it is filed.
    field_order = (
        *("title", "language", "doc_type"),
        *("doc_date", "effective_from", "superseded_on"),
        *("tags", "project", "doc_status"),
        *("is_public", "is_template"),
    )

    class Meta:
        model = Document
        fields = ["title", "language", *METADATA_COLUMNS]
        field_classes = {"tags": CommaListField}
        labels = {
            "doc_type": "Type",
            "doc_date": "Dated",
            "doc_status": "Status",
            "is_public": "Public",
            "is_template": "Template",
            "effective_from": "In force from",
            "superseded_on": "Superseded on",
        }
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
            "is_template": "A form to fill in. Questions can leave templates out.",
            "is_public": "The public chat answers from it, and anyone can read its passages there.",
            "effective_from": "First day on which it is valid.",
            "superseded_on": "First day on which it is no longer valid.",
        }

    def lock_row(self) -> Document | None:
        """The knowledge base before the document, as `update_details` wants it where the language changes."""
        if "language" in self.changed_data:
            bases = KnowledgeBase.objects.select_for_update(no_key=True).order_by()
            bases.filter(pk=self.instance.knowledge_base_id).values_list("pk").first()
        document: Document | None = super().lock_row()
        return document

    def clean(self) -> dict[str, Any]:
        data = super().clean()
        first, last = data.get("effective_from"), data.get("superseded_on")
        if first and last and last <= first:
            self.add_error("superseded_on", "This is not after the day from which it is valid.")
        return data
