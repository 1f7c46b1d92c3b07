"""What webhooks are told of documents: by every plugin that reads them, its own base or an attached one."""

from __future__ import annotations

from typing import Any

from django.db import models

from knowledge.models import Document, KnowledgeBase
from lexic.errors import LexicError
from plugins.models import Plugin
from webhooks import outbox
from webhooks.models import Event


def record_document_ready(document: Document, *, title: str, page_count: int | None) -> None:
    """Called in the transaction that makes it ready."""
    data = {"document": {**_document_summary(document, title), "pageCount": page_count}, **_base_summary(document)}
    outbox.record_event(_reading_plugins(document.knowledge_base_id), kind=Event.DOCUMENT_READY, data=data)


def record_document_failed(document: Document, *, error: LexicError) -> None:
    """Called in the transaction that notes it on the document."""
    why = {"error": error.message, "code": error.code, "hint": error.hint}
    data = {"document": _document_summary(document, document.title), **_base_summary(document), **why}
    outbox.record_event(_reading_plugins(document.knowledge_base_id), kind=Event.DOCUMENT_FAILED, data=data)


def _document_summary(document: Document, title: str) -> dict[str, Any]:
    return {"id": str(document.pk), "title": title, "sourceType": document.source_type}


def _base_summary(document: Document) -> dict[str, Any]:
    base: KnowledgeBase = document.knowledge_base
    return {"knowledgeBase": {"id": base.pk, "name": base.name}}


def _reading_plugins(base_id: int) -> models.QuerySet[Plugin]:
    own = models.Q(pk__in=KnowledgeBase.objects.filter(pk=base_id).values("plugin"))
    attached = models.Q(
        pk__in=KnowledgeBase.attached_to.through.objects.filter(knowledgebase=base_id).values("plugin")
    )
    return Plugin.objects.filter(own | attached)
