"""The documents that a plugin's routes show, and which of them this caller may read or change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from rest_framework.request import Request

from accounts.models import ApiKey, Capability
from api.authentication import get_principal
from api.plugins.lookup import get_plugin
from api.views import first_or_raise
from knowledge.models import Document, KnowledgeBase
from knowledge.plugin_knowledge_base import own_knowledge_base
from lexic.errors import NotAllowed, NotFound
from plugins.models import Plugin


class UnknownDocument(NotFound):
    """This plugin reads no such document."""

    code = "unknown_document"
    hint = "List the documents of the plugin to see their ids."


class NotOwnDocument(NotAllowed):
    """This document is in a knowledge base that is only attached to this plugin."""

    code = "belongs_elsewhere"
    hint = "Change it through the plugin that the knowledge base belongs to."


class TextNotReadable(NotAllowed):
    """You may see that the plugin uses this document, but not read its text."""

    code = "text_not_yours"
    hint = "Its text comes out in the citations of answers. Ask the owner of its knowledge base for more."


class DocumentAccessProtocol(Protocol):
    """The documents that one address shows to one caller: those of a plugin, or of a private knowledge base."""

    def may_read(self, document: Document) -> bool: ...

    def may_change(self, document: Document) -> bool: ...

    def new_document_base(self) -> KnowledgeBase:
        """The base that new documents go to."""

    def address_of(self, document: Document) -> str:
        """The address that shows the document."""


@dataclass(frozen=True, kw_only=True)
class DocumentAccess:
    """A plugin as one caller sees it. `readable` holds the ids of the bases whose text the caller may read."""

    plugin: Plugin
    readable: frozenset[int]
    is_author: bool

    def may_read(self, document: Document) -> bool:
        return document.knowledge_base_id in self.readable

    def may_change(self, document: Document) -> bool:
        """Only documents of the plugin's own base: those of attached bases are changed where they belong."""
        return self.is_author and document.knowledge_base.plugin_id == self.plugin.pk

    def new_document_base(self) -> KnowledgeBase:
        return own_knowledge_base(self.plugin)

    def address_of(self, document: Document) -> str:
        return f"/api/plugins/{self.plugin.slug}/documents/{document.pk}"

    def document(self, pk: UUID) -> Document:
        """Raises `UnknownDocument`."""
        documents = Document.objects.of_plugin(self.plugin).select_related("knowledge_base")
        return first_or_raise(documents.filter(pk=pk), UnknownDocument)

    def readable_document(self, pk: UUID) -> Document:
        """Raises `UnknownDocument`, `TextNotReadable`."""
        found = self.document(pk)
        if not self.may_read(found):
            raise TextNotReadable
        return found

    def own_document(self, pk: UUID) -> Document:
        """Raises `UnknownDocument`, `NotOwnDocument`."""
        found = self.document(pk)
        if not self.may_change(found):
            raise NotOwnDocument
        return found


def get_document_access(request: Request, reference: str) -> DocumentAccess:
    """The plugin of this name or id, as the caller sees it. Raises what `get_plugin` raises."""
    principal = get_principal(request)
    plugin = get_plugin(request, reference)
    bases = KnowledgeBase.objects.of_plugin(plugin).values("pk")
    readable = KnowledgeBase.objects.visible_to(principal).filter(pk__in=bases).values_list("pk", flat=True)
    may_author = principal.can(Capability.AUTHOR) if isinstance(principal, ApiKey) else True
    return DocumentAccess(
        plugin=plugin, readable=frozenset(readable), is_author=may_author and plugin.role in ("owner", "editor")
    )
