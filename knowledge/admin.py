"""Operators' lists of documents and knowledge bases. Both are edited in the builder, where the rows lead."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery, UUIDField
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.urls import reverse

from accounts.models import User
from accounts.signed_in_request import signed_in_user
from knowledge.models import Document, KnowledgeBase, KnowledgeGrant
from lexic.scoped_admin import ReadOnlyAdmin, column
from plugins.models import Plugin


@admin.register(KnowledgeBase)
class KnowledgeBaseAdmin(ReadOnlyAdmin):
    list_display = ["name", "plugin", "owner", "embedder", "document_count"]
    list_select_related = ["plugin", "owner"]
    search_fields = ["name", "plugin__name"]
    # Whoever only looks at one plugin is not told which others read its base.
    fields = ["name", "plugin", "owner", "embedder", "other_languages", "revision"]
    ordering = ["name"]

    def visible(self, request: HttpRequest) -> QuerySet[KnowledgeBase]:
        person = signed_in_user(request)
        # By id: the condition joins editors, and a join would count each document once for every editor.
        mine = KnowledgeBase.objects.filter(
            pk__in=KnowledgeBase.objects.visible_to(signed_in_user(request)).values("pk")
        )
        present = Count("documents", filter=Q(documents__removed_in=None), distinct=True)
        return mine.annotate(document_total=present, pane_plugin=_pane_plugin(person, "pk"))

    def builder_url(self, obj: Any) -> str:
        return reverse("admin:builder_knowledge_base", args=[obj.pane_plugin, obj.pk]) if obj.pane_plugin else ""

    @admin.display(description="documents", ordering="document_total")
    def document_count(self, base: Any) -> int:
        return base.document_total


class VisibleBaseFilter(admin.RelatedFieldListFilter):
    """Offers the knowledge bases of the person who looks, not everybody's."""

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> Any:
        mine = KnowledgeBase.objects.visible_to(signed_in_user(request))
        return [(base.pk, str(base)) for base in mine]


@admin.register(Document)
class DocumentAdmin(ReadOnlyAdmin):
    list_display = [
        "title",
        "status",
        "error",
        "knowledge_base",
        column("source_type", "type"),
        column("page_count", "pages"),
        column("updated_at", "changed"),
    ]
    list_select_related = ["knowledge_base"]
    list_filter = [("knowledge_base", VisibleBaseFilter), "status", "source_type"]
    search_fields = ["title", "file_name", "url"]
    fields = ["title", "knowledge_base", "status", "error", "source_type", "file_name", "url", "updated_at"]

    def visible(self, request: HttpRequest) -> QuerySet[Document]:
        person = signed_in_user(request)
        documents = Document.objects.visible_to(person).present()
        return documents.annotate(pane_plugin=_pane_plugin(person, "knowledge_base"))

    def builder_url(self, obj: Any) -> str:
        args = [obj.pane_plugin, obj.pk]
        return reverse("admin:builder_knowledge_document", args=args) if obj.pane_plugin else ""


def _pane_plugin(user: User, base: str) -> Coalesce:
    """The id of a plugin in whose pane this person finds the base: its own plugin, or one that reads it as well."""
    readable = Plugin.objects.viewable_by(user).order_by("pk").values("pk")
    attached = KnowledgeGrant.objects.standing().filter(knowledge_base=OuterRef(base), is_attached=True)
    own, others = readable.filter(knowledge_base=OuterRef(base)), attached.filter(plugin__in=readable)
    found = Subquery(others.order_by("plugin").values("plugin")[:1], output_field=UUIDField())
    return Coalesce(Subquery(own[:1]), found)
