"""The experts' view of their knowledge: drop documents in, watch them being read, see why one was not."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import Count, F, ForeignKey, Q, QuerySet
from django.db.models.functions import Left
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.models import User
from knowledge import task_queue
from knowledge.documents import lifecycle
from knowledge.forms import DocumentAddForm, DocumentForm
from knowledge.models import Chunk, Document, DocumentStatus, KnowledgeBase, Page
from knowledge.prune import pinned_revisions
from plugins.admin_display import (
    EMPTY_TEXT,
    add_link,
    change_link,
    dot_separated,
    json_block,
    list_link,
    text_block,
)
from plugins.changelists import DeferredListAdmin
from plugins.models import Plugin
from plugins.scoped_admin import ReadOnlyAdmin, ScopedAdmin

EXCERPT_LENGTH = 160
REINGEST_BUTTON = "_read_again"
STATUS_TEXTS = {
    DocumentStatus.QUEUED: "waits for a worker",
    DocumentStatus.CHUNKING: "is being split",
    DocumentStatus.READY: "ready",
    DocumentStatus.FAILED: "could not be read",
}


class KnowledgeAdmin(ScopedAdmin):
    show_full_result_count = False
    list_per_page = 50

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Names what goes, and counts nothing below it: a document may have thousands of chunks."""
        return [str(one) for one in objs], {}, set(), []


@admin.register(KnowledgeBase)
class KnowledgeBaseAdmin(KnowledgeAdmin):
    list_display = ["name", "plugin", "owner", "embedder", "document_count", "documents_link"]
    list_select_related = ["plugin", "owner"]
    search_fields = ["name", "plugin__name"]
    readonly_fields = ["documents_link", "revision", "owner"]
    filter_horizontal = ["attached_to"]
    fieldsets = [
        (None, {"fields": ["name", "documents_link"]}),
        (
            "Who reads it",
            {
                "fields": ["plugin", "attached_to"],
                "description": "A plugin has one knowledge base of its own, made with it, and may read others as well.",
            },
        ),
        ("How it is searched", {"fields": ["embedder", "language"]}),
        ("What became of it", {"fields": ["owner", "revision"]}),
    ]

    def visible(self, request: HttpRequest) -> QuerySet[KnowledgeBase]:
        assert isinstance(request.user, User)
        # By id: the condition joins editors, and a join would count each document once for every editor.
        mine = KnowledgeBase.objects.filter(pk__in=KnowledgeBase.objects.visible_to(request.user).values("pk"))
        present = Count("documents", filter=Q(documents__removed_in=None))
        return mine.annotate(document_total=present).order_by("name")

    def changeable(self, request: HttpRequest) -> QuerySet[KnowledgeBase]:
        return KnowledgeBase.objects.editable_by(request.user)  # type: ignore[arg-type]  # staff have signed in

    def choices_for(self, field_name: str, request: HttpRequest) -> QuerySet[Any] | None:
        assert isinstance(request.user, User)
        return Plugin.objects.editable_by(request.user) if field_name in ("plugin", "attached_to") else None

    def get_fieldsets(self, request: HttpRequest, obj: KnowledgeBase | None = None) -> Any:
        if obj is None:
            return self.fieldsets[:-1]
        if self.has_change_permission(request, obj):
            return self.fieldsets
        # Whoever only looks at one plugin is not told which others read its base.
        first, (name, of), *others = self.fieldsets
        return [first, (name, {**of, "fields": ["plugin"]}), *others]

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        said = {
            "plugin": "Whose own knowledge it is. May be empty.",
            "attached_to": "These plugins read it too.",
            "language": "Of the documents, in English: “english”, “german”, …",
        }
        return super().get_form(request, obj, change=change, help_texts=said, **kwargs)

    def get_readonly_fields(self, request: HttpRequest, obj: KnowledgeBase | None = None) -> list[str]:
        # Vectors of two embedders cannot be compared, so the choice ends with the first document.
        fixed = ["embedder"] if obj and obj.documents.exists() else []
        return [*self.readonly_fields, *fixed]

    def save_model(self, request: HttpRequest, obj: KnowledgeBase, form: Any, change: bool) -> None:
        if not change:
            # With the plugin's owner, so that an editor who is taken off it keeps no way in.
            obj.owner = obj.plugin.owner if obj.plugin else request.user  # type: ignore[assignment]
            super().save_model(request, obj, form, change)
            return
        # Only what was said: the revision moves on while people look at the form.
        columns = {field.name for field in KnowledgeBase._meta.concrete_fields}
        obj.save(update_fields=columns & set(form.changed_data))

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """The form shows only the plugins that this person may change; the others stay as they are."""
        hidden = []
        if change:
            shown = Plugin.objects.editable_by(request.user)  # type: ignore[arg-type]
            hidden = list(form.instance.attached_to.exclude(pk__in=shown.values("pk")))
        super().save_related(request, form, formsets, change)
        form.instance.attached_to.add(*hidden)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """What a release reads stays: its answers are to be replayed."""
        return super().has_delete_permission(request, obj) and not (obj and pinned_revisions(obj))

    def delete_model(self, request: HttpRequest, obj: KnowledgeBase) -> None:
        pk = obj.pk
        super().delete_model(request, obj)
        task_queue.enqueue_index_check(pk)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[KnowledgeBase]) -> None:
        for base in queryset:
            if pinned_revisions(base):
                self.message_user(request, f"{base} stays: a release reads it.", messages.WARNING)
            else:
                self.delete_model(request, base)

    @admin.display(description="documents", ordering="document_total")
    def document_count(self, base: Any) -> int:
        return base.document_total

    @admin.display(description="")
    def documents_link(self, base: KnowledgeBase) -> SafeString | str:
        if base.pk is None:
            return "Save first, then add documents."
        return dot_separated(
            [
                list_link("knowledge_document", "Open the documents", knowledge_base__id__exact=base.pk),
                add_link("knowledge_document", "Add a document", knowledge_base=base.pk),
            ]
        )


class VisibleBaseFilter(admin.RelatedFieldListFilter):
    """Offers the knowledge bases of the person who looks, not everybody's."""

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> Any:
        mine = KnowledgeBase.objects.visible_to(request.user)  # type: ignore[arg-type]
        return [(base.pk, str(base)) for base in mine]


@admin.register(Document)
class DocumentAdmin(KnowledgeAdmin):
    form = DocumentForm
    list_display = ["title", "how_it_stands", "knowledge_base", "source_type", "page_count", "updated_at"]
    list_select_related = ["knowledge_base"]
    list_filter = [("knowledge_base", VisibleBaseFilter), "status", "source_type"]
    search_fields = ["title", "file_name", "url"]
    actions = ["read_again"]
    readonly_fields = ["belongs_to", "source", "how_it_stands", "contents", "said_by_file", "updated_at"]
    fieldsets = [
        (None, {"fields": ["title", "how_it_stands", "contents", "belongs_to", "source", "file", "updated_at"]}),
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
        ("As the file says", {"fields": ["said_by_file"], "classes": ["collapse"]}),
    ]
    add_fieldsets = [(None, {"fields": ["knowledge_base", "file", "url", "title"]})]

    def visible(self, request: HttpRequest) -> QuerySet[Document]:
        assert isinstance(request.user, User)
        return Document.objects.visible_to(request.user).present()

    def changeable(self, request: HttpRequest) -> QuerySet[Document]:
        return Document.objects.editable_by(request.user).present()  # type: ignore[arg-type]  # staff have signed in

    def choices_for(self, field_name: str, request: HttpRequest) -> QuerySet[Any] | None:
        assert isinstance(request.user, User)
        return KnowledgeBase.objects.editable_by(request.user) if field_name == "knowledge_base" else None

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        form = self.form if obj else DocumentAddForm
        return super().get_form(request, obj, change=change, **{"form": form, **kwargs})

    def get_fieldsets(self, request: HttpRequest, obj: Document | None = None) -> Any:
        if obj is None:
            return self.add_fieldsets
        if not obj.url:
            return self.fieldsets
        # The address is fetched again instead.
        (name, first), *others = self.fieldsets
        return [(name, {"fields": [field for field in first["fields"] if field != "file"]}), *others]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.readonly_fields if obj else []

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        bases = self.choices_for("knowledge_base", request)
        only = [base.pk for base in bases[:2]] if bases is not None else []
        chosen = {"knowledge_base": only[0]} if len(only) == 1 else {}
        return {**chosen, **super().get_changeform_initial_data(request)}

    def formfield_for_foreignkey(self, db_field: ForeignKey, request: HttpRequest, **kwargs: Any) -> Any:
        field = super().formfield_for_foreignkey(db_field, request, **kwargs)
        if db_field.name == "knowledge_base" and field and not field.queryset.exists():
            field.help_text = "You have none yet: make a plugin first, it comes with one."
        return field

    def save_model(self, request: HttpRequest, obj: Document, form: Any, change: bool) -> None:
        if not change:
            if not form.added.is_new:
                messages.info(request, "This document was here already.")
            return
        form.keep()
        if "title" in form.changed_data or REINGEST_BUTTON in request.POST:
            lifecycle.reingest_document(obj)

    def response_add(self, request: HttpRequest, obj: Any, post_url_continue: str | None = None) -> HttpResponse:
        added = obj if isinstance(obj, Document) else Document.objects.get(pk=obj)
        self._message_status(request, added)
        if "_addanother" in request.POST:
            address = reverse(
                "admin:knowledge_document_add", query={"knowledge_base": str(added.knowledge_base_id)}
            )
        else:
            address = reverse("admin:knowledge_document_change", args=[added.pk])
        return HttpResponseRedirect(address)

    def response_change(self, request: HttpRequest, obj: Document) -> HttpResponse:
        if REINGEST_BUTTON not in request.POST:
            return super().response_change(request, obj)
        self._message_status(request, obj)
        return HttpResponseRedirect(request.path)

    def _message_status(self, request: HttpRequest, document: Document) -> None:
        if document.status == DocumentStatus.QUEUED:
            said = f"“{document}” waits for a worker. Reload this page to see how far it has been read."
            messages.info(request, said)

    def delete_model(self, request: HttpRequest, obj: Document) -> None:
        lifecycle.delete_document(obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        for document in queryset:
            lifecycle.delete_document(document)

    @admin.action(description="Read again")
    def read_again(self, request: HttpRequest, queryset: QuerySet[Document]) -> None:
        for document in queryset:
            lifecycle.reingest_document(document)
        messages.success(request, f"{len(queryset)} will be read again.")

    @admin.display(description="status", ordering="status")
    def how_it_stands(self, document: Document) -> str:
        """Status, progress and error in one sentence."""
        status = DocumentStatus(document.status)
        if document.error:
            sentence = f"{STATUS_TEXTS.get(status, status.label)}: {document.error}"
            return format_html('<strong class="lx-bad">{}</strong>', sentence)
        if status == DocumentStatus.READING:
            return f"reading page {document.pages_done} of {document.pages_total or '…'}"
        if status == DocumentStatus.EMBEDDING:
            return f"embedding {document.chunks_done} of {document.chunks_total or '…'} chunks"
        return STATUS_TEXTS[status]

    @admin.display(description="source")
    def source(self, document: Document) -> str:
        kind = document.get_source_type_display()
        return f"{document.url or document.file_name} ({kind})"

    @admin.display(description="knowledge base")
    def belongs_to(self, document: Document) -> SafeString:
        base = document.knowledge_base
        return change_link("knowledge_knowledgebase", str(base), base.pk)

    @admin.display(description="what was read")
    def contents(self, document: Document) -> SafeString | str:
        if not document.ready_sha256 and document.status != DocumentStatus.READY:
            return EMPTY_TEXT
        chunks = f"{document.chunks_total or 0} chunks"
        pages = f"{document.page_count} pages" if document.page_count else "its text"
        return dot_separated(
            [
                list_link("knowledge_page", f"Read {pages}", document__id__exact=document.pk),
                list_link("knowledge_chunk", f"See {chunks}", document__id__exact=document.pk),
            ]
        )

    @admin.display(description="metadata")
    def said_by_file(self, document: Document) -> SafeString | str:
        return json_block(document.metadata) if document.metadata else "nothing"


class DocumentPartAdmin(DeferredListAdmin, ReadOnlyAdmin):
    """Pages and chunks of the documents a person may read; only what answers now."""

    show_full_result_count = False
    list_per_page = 50
    list_select_related = ["document"]

    def visible(self, request: HttpRequest) -> QuerySet[Any]:
        assert isinstance(request.user, User)
        mine = Document.objects.visible_to(request.user).present()
        rows = self.model._default_manager.filter(added_in__isnull=False, removed_in=None)
        return rows.filter(document__in=mine)

    def lookup_allowed(self, lookup: str, value: Any, request: Any = None) -> bool:
        return lookup == "document__id__exact" or super().lookup_allowed(lookup, value, request)

    @admin.display(description="document")
    def of_document(self, part: Any) -> SafeString:
        return change_link("knowledge_document", str(part.document), part.document_id)


@admin.register(Page)
class PageAdmin(DocumentPartAdmin):
    list_display = ["__str__", "excerpt"]
    search_fields = ["text"]
    search_help_text = "Words as they stand on a page."
    fields = ["of_document", "number", "shown_text", "as_cited"]

    # A list needs the beginnings of fifty pages, not their whole text and the boxes of all their words.
    not_in_lists = ("text", "words")

    def visible(self, request: HttpRequest) -> QuerySet[Any]:
        return super().visible(request).annotate(beginning=Left("text", EXCERPT_LENGTH))

    @admin.display(description="text")
    def excerpt(self, page: Any) -> str:
        return page.beginning

    @admin.display(description="text")
    def shown_text(self, page: Page) -> SafeString:
        return text_block(page.text)

    @admin.display(description="as readers see it")
    def as_cited(self, page: Page) -> SafeString:
        return format_html('<a href="{}">Open the page</a>', reverse("source", args=[page.pk]))


@admin.register(Chunk)
class ChunkAdmin(DocumentPartAdmin):
    list_display = ["__str__", "page_number", "section", "excerpt"]
    search_fields = ["content"]
    search_help_text = "Words as they stand in a chunk."
    fields = ["of_document", "index", "section", "place", "shown_content"]

    def visible(self, request: HttpRequest) -> QuerySet[Any]:
        return super().visible(request).annotate(page_number=F("page__number"))

    @admin.display(description="page")
    def page_number(self, chunk: Any) -> int:
        return chunk.page_number

    @admin.display(description="section")
    def section(self, chunk: Chunk) -> str:
        return " > ".join(chunk.section_path)

    @admin.display(description="text")
    def excerpt(self, chunk: Chunk) -> str:
        return chunk.content[:EXCERPT_LENGTH]

    @admin.display(description="page")
    def place(self, chunk: Any) -> SafeString:
        span = {"start": str(chunk.start), "end": str(chunk.end)}
        address = reverse("source", args=[chunk.page_id], query=span)
        words = f"See it on page {chunk.page_number}"
        return format_html('<a href="{}">{}</a> (characters {} to {})', address, words, chunk.start, chunk.end)

    @admin.display(description="text")
    def shown_content(self, chunk: Chunk) -> SafeString:
        return text_block(chunk.content)
