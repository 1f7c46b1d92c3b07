"""Which documents a plugin's page shows, and which of them may be opened or changed from it."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest

from accounts.models import User
from knowledge.models import Document, DocumentQuerySet, KnowledgeBase
from plugins.models import Plugin

_NOT_FOUND_MESSAGE = "This plugin has no such document, or you may not read it."


def own_documents_queryset(plugin: Plugin) -> DocumentQuerySet:
    """Those of the plugin's own base: the only ones that are changed from its page."""
    return Document.objects.present().filter(knowledge_base__plugin=plugin).select_related("knowledge_base__plugin")


def get_own_document_or_404(plugin: Plugin, pk: UUID) -> Document:
    """Raises Http404 for documents of other plugins, and of bases that are merely attached."""
    return _get_or_404(own_documents_queryset(plugin), pk)


def get_readable_document_or_404(request: HttpRequest, plugin: Plugin, pk: UUID) -> Document:
    """A document that the plugin reads, and this person may. Raises Http404."""
    documents = Document.objects.of_plugin(plugin).filter(knowledge_base__in=readable_base_ids(request))
    return _get_or_404(documents.select_related("knowledge_base__plugin"), pk)


def readable_base_ids(request: HttpRequest) -> set[int]:
    """Ids of the bases whose text this person may read. One that is only attached to a plugin may not be among them:
    then its documents can be named, and its text comes out in verified quotations alone."""
    assert isinstance(request.user, User)
    return set(KnowledgeBase.objects.visible_to(request.user).values_list("pk", flat=True))


def _get_or_404(documents: DocumentQuerySet, pk: UUID) -> Document:
    document = documents.filter(pk=pk).first()
    if document is None:
        raise Http404(_NOT_FOUND_MESSAGE)
    return document
