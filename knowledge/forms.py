"""The forms of the builder through which documents come in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django import forms

from knowledge.documents import lifecycle
from knowledge.models import Document
from lexic.errors import LexicError

T = TypeVar("T")
SUPPORTED_TYPES_TEXT = "PDF, Word (.docx), Markdown, HTML, JSON or plain text."


class DocumentAddForm(forms.ModelForm):
    """One file, or one address."""

    file = forms.FileField(required=False, help_text=SUPPORTED_TYPES_TEXT)
    url = forms.URLField(
        required=False,
        max_length=2000,
        assume_scheme="https",
        label="Or address",
        help_text="Of a public web page or document. It is fetched by the worker.",
        widget=forms.URLInput(attrs={"class": "vURLField"}),
    )

    class Meta:
        model = Document
        fields = ["knowledge_base", "url", "title"]
        help_texts = {"knowledge_base": "Every plugin has one of its own."}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["title"].required = False
        self.fields["title"].help_text = "What citations call it. Left empty, it is taken from the file."

    def clean(self) -> dict[str, Any]:
        said: dict[str, Any] = super().clean() or {}
        is_wrong_already = bool({"file", "url"} & self.errors.keys())
        if not is_wrong_already and bool(said.get("file")) == bool(said.get("url")):
            raise forms.ValidationError("Choose a file or give an address: one of the two.")
        if not self.errors:
            self.added = _as_form_error(lambda: self._add(said))
        return said

    def _add(self, said: dict[str, Any]) -> lifecycle.AddResult:
        """Files are checked by the function that stores them, so that every door says the same about them."""
        base, title = said["knowledge_base"], said["title"] or None
        if file := said.get("file"):
            return lifecycle.add_file(knowledge_base=base, file_name=file.name, stream=file, title=title)
        return lifecycle.add_url(knowledge_base=base, url=said["url"], title=title)

    def save(self, commit: bool = True) -> Document:
        return self.added.document

    def save_m2m(self) -> None:
        """A document has no relations to save; the admin asks all the same."""


class DocumentForm(forms.ModelForm):
    """What people say about a document, and a newer version of its file."""

    file = forms.FileField(
        required=False,
        label="Newer version",
        help_text=f"{SUPPORTED_TYPES_TEXT} The version that answers now goes on answering until the new one is ready.",
    )

    class Meta:
        model = Document
        fields = ["title"]  # the admin names them all
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
        said: dict[str, Any] = super().clean() or {}
        first, last = said.get("effective_from"), said.get("superseded_on")
        if first and last and last <= first:
            self.add_error("superseded_on", "This is not after the day from which it is valid.")
        if (file := said.get("file")) and not self.errors:
            _as_form_error(lambda: lifecycle.replace_file(self.instance, file_name=file.name, stream=file))
        return said

    def keep(self) -> None:
        """Save only what was said: a worker writes status and progress while people look at the form."""
        columns = {field.name for field in Document._meta.concrete_fields}
        self.instance.save(update_fields={*(columns & set(self.changed_data)), "updated_at"})


def _as_form_error(work: Callable[[], T]) -> T:
    try:
        return work()
    except LexicError as error:
        raise forms.ValidationError(f"{error.message} {error.hint}".strip()) from None
