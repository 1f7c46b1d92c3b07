"""Records the webhook events of documents, for every plugin that reads them in its own base or an attached one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db import models

from knowledge.models import Document, KnowledgeBase, KnowledgeGrant
from lexic.errors import LexicError
from plugins.models import Plugin
from webhooks import outbox
from webhooks.models import Event


def record_documents_ready(base: KnowledgeBase, documents: Iterable[tuple[Document, str, int | None]]) -> None:
    """Called in the transaction that makes them ready: documents of this base, each with its title and its pages."""
    columns = [(document, {"title": title, "pageCount": page_count}) for document, title, page_count in documents]
    told = [_describe(base, document, said) for document, said in columns]
    outbox.record_events(_readers(base), kind=Event.DOCUMENT_READY, data=told)


def record_document_failed(document: Document, *, error: LexicError) -> None:
    """Called in the transaction that marks it failed."""
    reason = {"error": error.message, "code": error.code, "hint": error.hint}
    data = _describe(document.knowledge_base, document, {"title": document.title}) | reason
    outbox.record_event(_readers(document.knowledge_base), kind=Event.DOCUMENT_FAILED, data=data)


def _describe(base: KnowledgeBase, document: Document, columns: dict[str, Any]) -> dict[str, Any]:
    summary = {"id": str(document.pk), "title": columns["title"], "sourceType": document.source_type, **columns}
    return {"document": summary, "knowledgeBase": {"id": base.pk, "name": base.name}}


def _readers(base: KnowledgeBase) -> models.QuerySet[Plugin]:
    attached = KnowledgeGrant.objects.standing().filter(knowledge_base=base, is_attached=True)
    return Plugin.objects.filter(models.Q(knowledge_base=base) | models.Q(pk__in=attached.values("plugin")))
