"""Enqueues the tasks of `knowledge.tasks` by name, so that the code that enqueues one need not import it."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from django.db import transaction

from knowledge.models import Document, DocumentStatus
from lexic.publish_task import publish_task

WAITING_FOR_BROKER = "waiting_for_broker"


def enqueue_ingest(document_id: UUID) -> None:
    """Have a worker read the document, once the current transaction is committed.

    Without a broker the document stays `queued` and says why, and `resume_unfinished` picks it up later.
    """
    transaction.on_commit(partial(publish_ingest, document_id))


def publish_ingest(document_id: UUID) -> None:
    """Have a worker read the document, at once."""
    if not publish_task("knowledge.ingest_document", document_id=str(document_id)):
        Document.objects.filter(pk=document_id, status=DocumentStatus.QUEUED).update(
            error_code=WAITING_FOR_BROKER,
            error="Waits for the task queue (Redis), which cannot be reached. It is read as soon as that is back.",
        )


def enqueue_reread(page_id: int, document_id: UUID) -> None:
    """Have a worker read one page of a document anew, once the current transaction is committed."""
    transaction.on_commit(partial(publish_task, "knowledge.reread_page", page_id=page_id, document_id=str(document_id)))


def enqueue_index_check(knowledge_base_id: int) -> None:
    """Have a worker build or drop the vector index of a knowledge base that has changed or is gone, after commit."""
    transaction.on_commit(partial(publish_task, "knowledge.index_vectors", knowledge_base_id=knowledge_base_id))


def enqueue_sync(source_id: int, *, allows_removals: bool = False) -> None:
    """Have a worker sync this source, once the current transaction is committed."""
    task = partial(publish_task, "knowledge.sync_source", source_id=source_id, allows_removals=allows_removals)
    transaction.on_commit(task)
