"""Finds the documents that a plugin's page shows, and which of them may be opened or changed from it."""

from __future__ import annotations

from uuid import UUID

from django.db.models import Q
from django.shortcuts import get_object_or_404

from accounts.signed_in_request import SignedInRequest
from knowledge.documents.document_rows import BaseAccess
from knowledge.models import Document, KnowledgeBase, KnowledgeBaseQuerySet
from knowledge.plugin_knowledge_base import own_knowledge_base
from lexic.http.parameters import parse_natural
from plugins.models import Plugin


def editable_bases(request: SignedInRequest, plugin: Plugin) -> KnowledgeBaseQuerySet:
    """The bases whose documents this person changes from the plugin's page: the plugin's own one, and attached ones
    of no plugin that the person may change. Those of other plugins are changed on the page of that plugin."""
    editable = KnowledgeBase.objects.editable_by(request.user).values("pk")
    return KnowledgeBase.objects.of_plugin(plugin).filter(Q(plugin=plugin) | Q(plugin=None), pk__in=editable)


def base_access(request: SignedInRequest, plugin: Plugin) -> BaseAccess:
    """Two statements."""
    editable = set(editable_bases(request, plugin).values_list("pk", flat=True))
    return BaseAccess(plugin=plugin, readable=readable_base_ids(request), editable=editable)


def target_base_or_404(request: SignedInRequest, plugin: Plugin) -> KnowledgeBase:
    """The base that new documents go to: the one that the form names, else the plugin's own. Raises Http404."""
    named = request.POST.get("base", "")
    if not named:
        return own_knowledge_base(plugin)
    return get_object_or_404(editable_bases(request, plugin), pk=parse_natural(named, max_digits=18))


def get_editable_document_or_404(request: SignedInRequest, plugin: Plugin, pk: UUID) -> Document:
    """Raises Http404 for documents of other plugins, and of attached bases that this person may not change."""
    documents = Document.objects.present().filter(knowledge_base__in=editable_bases(request, plugin))
    return get_object_or_404(documents.select_related("knowledge_base__plugin"), pk=pk)


def get_readable_document_or_404(request: SignedInRequest, plugin: Plugin, pk: UUID) -> Document:
    """A document that the plugin reads, and this person may. Raises Http404."""
    documents = Document.objects.of_plugin(plugin).filter(knowledge_base__in=readable_base_ids(request))
    return get_object_or_404(documents.select_related("knowledge_base__plugin"), pk=pk)


def readable_base_ids(request: SignedInRequest) -> set[int]:
    """Ids of the bases whose text this person may read. One that is only attached to a plugin may not be among them:
    then its documents can be named, and its text comes out in verified quotations alone."""
    return set(KnowledgeBase.objects.visible_to(request.user).values_list("pk", flat=True))
