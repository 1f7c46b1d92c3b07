"""What webhooks are told of documents: by every plugin that reads them, its own base or an attached one."""

from __future__ import annotations

from typing import Any

from django.db import models

from knowledge.models import Document, KnowledgeBase, KnowledgeGrant
from lexic.errors import LexicError
from plugins.models import Plugin
from webhooks import outbox
from webhooks.models import Event


def record_document_ready(document: Document, *, title: str, page_count: int | None) -> None:
    """Called in the transaction that makes it ready."""
    _record(document, Event.DOCUMENT_READY, {"title": title, "pageCount": page_count}, {})


def record_document_failed(document: Document, *, error: LexicError) -> None:
    """Called in the transaction that marks it failed."""
    reason = {"error": error.message, "code": error.code, "hint": error.hint}
    _record(document, Event.DOCUMENT_FAILED, {"title": document.title}, reason)


def _record(document: Document, kind: Event, columns: dict[str, Any], reason: dict[str, str]) -> None:
    base: KnowledgeBase = document.knowledge_base
    summary = {"id": str(document.pk), "title": columns["title"], "sourceType": document.source_type, **columns}
    data = {"document": summary, "knowledgeBase": {"id": base.pk, "name": base.name}, **reason}
    attached = KnowledgeGrant.objects.standing().filter(knowledge_base=base, is_attached=True)
    readers = Plugin.objects.filter(models.Q(knowledge_base=base) | models.Q(pk__in=attached.values("plugin")))
    outbox.record_event(readers, kind=kind, data=data)
