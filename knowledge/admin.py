"""The experts' view of their knowledge: drop documents in, watch them being read, see why one was not."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import Count, ForeignKey, ManyToManyField, Model, Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from knowledge import add, tasks
from knowledge.models import Chunk, Document, DocumentStatus, KnowledgeBase, Page
from lexic.errors import LexicError
from plugins.models import Plugin

EXCERPT = 160
STAGES = {
    DocumentStatus.QUEUED: "waits for a worker",
    DocumentStatus.CHUNKING: "is being split",
    DocumentStatus.READY: "ready",
    DocumentStatus.FAILED: "could not be read",
}


class OwnRowsAdmin(admin.ModelAdmin):
    """People who may use the builder see and change what is theirs, without permissions of their own."""

    show_full_result_count = False
    list_per_page = 50

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).visible_to(request.user)  # type: ignore[attr-defined]

    def has_module_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_active and request.user.is_staff)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.has_module_permission(request)

    has_change_permission = has_view_permission
    has_delete_permission = has_view_permission

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_module_permission(request)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Names what goes, and counts nothing below it: a document may have thousands of chunks."""
        return [str(one) for one in objs], {}, set(), []


class ReadOnlyAdmin(OwnRowsAdmin):
    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(KnowledgeBase)
class KnowledgeBaseAdmin(OwnRowsAdmin):
    list_display = ["name", "plugin", "owner", "embedder", "document_count", "documents_link"]
    list_select_related = ["plugin", "owner"]
    search_fields = ["name", "plugin__name"]
    fields = ["name", "plugin", "attached_to", "embedder", "language", "documents_link"]
    readonly_fields = ["documents_link"]
    filter_horizontal = ["attached_to"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        present = Count("documents", filter=Q(documents__removed_in=None), distinct=True)
        return super().get_queryset(request).annotate(document_total=present)

    def get_readonly_fields(self, request: HttpRequest, obj: KnowledgeBase | None = None) -> list[str]:
        # Vectors of two embedders cannot be compared, so the choice ends with the first document.
        fixed = ["embedder"] if obj and obj.documents.exists() else []
        return [*self.readonly_fields, *fixed]

    def formfield_for_foreignkey(self, db_field: ForeignKey, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "plugin":
            kwargs["queryset"] = Plugin.objects.editable_by(request.user)  # type: ignore[arg-type]
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def formfield_for_manytomany(self, db_field: ManyToManyField, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "attached_to":
            kwargs["queryset"] = Plugin.objects.editable_by(request.user)  # type: ignore[arg-type]
        return super().formfield_for_manytomany(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: KnowledgeBase, form: Any, change: bool) -> None:
        if not change:
            obj.owner = request.user  # type: ignore[assignment]
        super().save_model(request, obj, form, change)

    def delete_model(self, request: HttpRequest, obj: KnowledgeBase) -> None:
        pk = obj.pk
        super().delete_model(request, obj)
        tasks.review_index(pk)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[KnowledgeBase]) -> None:
        for base in queryset:
            self.delete_model(request, base)

    @admin.display(description="documents")
    def document_count(self, base: Any) -> int:
        return base.document_total

    @admin.display(description="")
    def documents_link(self, base: KnowledgeBase) -> str:
        if base.pk is None:
            return "Save first, then add documents."
        return _link("knowledge_document", "Open the documents", knowledge_base__id__exact=base.pk)


class DocumentAddForm(forms.ModelForm):
    """One file, or one address."""

    file = forms.FileField(required=False, help_text="PDF, Word (.docx), Markdown, HTML, JSON or plain text.")
    url = forms.URLField(
        required=False,
        max_length=2000,
        assume_scheme="https",
        label="Address",
        help_text="Of a public web page or document.",
    )

    class Meta:
        model = Document
        fields = ["knowledge_base", "url", "title"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["title"].required = False
        self.fields["title"].help_text = "What citations call it. Left empty, it is taken from the file."

    def clean(self) -> dict[str, Any]:
        said: dict[str, Any] = super().clean() or {}
        if bool(said.get("file")) == bool(said.get("url")):
            raise forms.ValidationError("Choose a file or give an address: one of the two.")
        if not self.errors:
            self.added = self._add(said)
        return said

    def _add(self, said: dict[str, Any]) -> add.Added:
        """Files are checked by the function that stores them, so that every door says the same about them."""
        title = said["title"] or None
        try:
            if file := said.get("file"):
                return add.add_file(
                    knowledge_base=said["knowledge_base"], file_name=file.name, stream=file, title=title
                )
            return add.add_url(knowledge_base=said["knowledge_base"], url=said["url"], title=title)
        except LexicError as error:
            raise forms.ValidationError(f"{error.message} {error.hint}".strip()) from None

    def save(self, commit: bool = True) -> Document:
        return self.added.document

    def save_m2m(self) -> None:
        """A document has no relations to save; the admin asks all the same."""


class OwnBaseFilter(admin.RelatedFieldListFilter):
    """Offers the knowledge bases of the person who looks, not everybody's."""

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> Any:
        mine = KnowledgeBase.objects.visible_to(request.user)  # type: ignore[arg-type]
        return [(base.pk, str(base)) for base in mine]


@admin.register(Document)
class DocumentAdmin(OwnRowsAdmin):
    list_display = ["title", "knowledge_base", "source_type", "how_it_stands", "page_count", "updated_at"]
    list_select_related = ["knowledge_base"]
    list_filter = [("knowledge_base", OwnBaseFilter), "status", "source_type"]
    search_fields = ["title", "file_name", "url"]
    actions = ["read_again"]
    readonly_fields = ["knowledge_base", "source", "how_it_stands", "pages_link", "chunks_link", "metadata"]
    fieldsets = [
        (None, {"fields": ["title", "knowledge_base", "source", "how_it_stands", "pages_link", "chunks_link"]}),
        (
            "What it is",
            {"fields": ["doc_type", "doc_date", "doc_status", "project", "tags", "is_public", "is_template"]},
        ),
        (
            "When it is valid",
            {
                "fields": ["effective_from", "superseded_on"],
                "description": "Answers about a day use the documents that were valid on it.",
            },
        ),
        ("As the file says", {"fields": ["metadata"], "classes": ["collapse"]}),
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).present()  # type: ignore[attr-defined]

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        if obj is None:
            kwargs["form"] = DocumentAddForm
        return super().get_form(request, obj, change=change, **kwargs)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        return (
            super().get_fieldsets(request, obj)
            if obj
            else [(None, {"fields": ["knowledge_base", "file", "url", "title"]})]
        )

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.readonly_fields if obj else []

    def formfield_for_foreignkey(self, db_field: ForeignKey, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "knowledge_base":
            kwargs["queryset"] = KnowledgeBase.objects.editable_by(request.user)  # type: ignore[arg-type]
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: Document, form: Any, change: bool) -> None:
        if change:
            super().save_model(request, obj, form, change)
            if "title" in form.changed_data:
                add.read_again(obj)
        elif not form.added.is_new:
            messages.info(request, "This document was here already.")

    def delete_model(self, request: HttpRequest, obj: Document) -> None:
        add.delete_document(obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        for document in queryset:
            add.delete_document(document)

    @admin.action(description="Read again")
    def read_again(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        for document in queryset:
            add.read_again(document)
        messages.success(request, f"{len(queryset)} will be read again.")

    @admin.display(description="status")
    def how_it_stands(self, document: Document) -> str:
        """Status, progress and error in one sentence."""
        status = DocumentStatus(document.status)
        if document.error:
            return f"{STAGES.get(status, status.label)}: {document.error}"
        if status == DocumentStatus.READING:
            return f"reading page {document.pages_done} of {document.pages_total or '…'}"
        if status == DocumentStatus.EMBEDDING:
            return f"embedding {document.chunks_done} of {document.chunks_total or '…'} passages"
        return STAGES[status]

    @admin.display(description="source")
    def source(self, document: Document) -> str:
        return document.url or document.file_name

    @admin.display(description="pages")
    def pages_link(self, document: Document) -> str:
        return _link("knowledge_page", "Read its pages", document__id__exact=document.pk)

    @admin.display(description="passages")
    def chunks_link(self, document: Document) -> str:
        return _link("knowledge_chunk", "See its passages", document__id__exact=document.pk)


class DocumentPartAdmin(ReadOnlyAdmin):
    """Pages and chunks of the documents a person may read; only what answers now."""

    list_select_related = ["document"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        mine = Document.objects.visible_to(request.user).present()  # type: ignore[arg-type]
        rows = admin.ModelAdmin.get_queryset(self, request).filter(added_in__isnull=False, removed_in=None)
        return rows.filter(document__in=mine)

    def lookup_allowed(self, lookup: str, value: Any, request: Any = None) -> bool:
        return lookup == "document__id__exact" or super().lookup_allowed(lookup, value, request)


@admin.register(Page)
class PageAdmin(DocumentPartAdmin):
    list_display = ["number", "document", "excerpt"]
    fields = ["document", "number", "text"]

    @admin.display(description="text")
    def excerpt(self, page: Page) -> str:
        return page.text[:EXCERPT]


@admin.register(Chunk)
class ChunkAdmin(DocumentPartAdmin):
    list_display = ["index", "document", "section", "excerpt"]
    fields = ["document", "index", "section", "content"]
    readonly_fields = ["section"]

    @admin.display(description="section")
    def section(self, chunk: Chunk) -> str:
        return " > ".join(chunk.section_path)

    @admin.display(description="text")
    def excerpt(self, chunk: Chunk) -> str:
        return chunk.content[:EXCERPT]


def _link(view: str, words: str, **query: Any) -> str:
    """A link to a list, filtered. Holds no text from documents."""
    address = reverse(f"admin:{view}_changelist", query={name: str(value) for name, value in query.items()})
    return format_html('<a href="{}">{}</a>', address, words)
