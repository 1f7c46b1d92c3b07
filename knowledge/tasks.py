"""The tasks of the worker: read documents, resume unfinished ones, sync sources, and prune what nothing can see."""

from __future__ import annotations

import logging
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

from celery import Task
from celery.signals import worker_ready
from django.conf import settings
from django.core.cache import cache
from django.db import OperationalError
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone

from knowledge import ingest_scheduling, lease
from knowledge.documents import page_corrections
from knowledge.embedders.base import EmbedderError
from knowledge.ingest import (
    MAX_ATTEMPTS,
    WAITING_ERROR_CODE,
    fail_provider_unavailable,
    ingest,
    mark_failed,
    mark_waiting,
)
from knowledge.ingest_batch import ingest_together
from knowledge.models import Document, DocumentQuerySet, DocumentStatus, KnowledgeBase, Lease, Page, Source
from knowledge.prune import prune_knowledge_base, pruning_age
from knowledge.search.vector_index import drop_index, ensure_index
from knowledge.sync import runner
from knowledge.task_queue import WAITING_FOR_BROKER, enqueue_index_check, enqueue_sync, publish_ingest
from knowledge.versions.token_states import add_missing_states
from lexic import task_queues
from lexic.celery import app, consumes_queue
from lexic.errors import LexicError
from lexic.storage import StorageUnavailable

logger = logging.getLogger(__name__)

FIRST_RETRY_SECONDS = 10  # doubles with every attempt

STALE_AFTER = timedelta(minutes=2)
STALE_WHILE_WAITING = timedelta(minutes=10)
RESUME_BATCH_SIZE = 500

# A document that crashes its worker is not tried for ever.
MAX_STARTS = 4
START_COUNT_SECONDS = 24 * 3600
# Token states are added for so long; then whatever else waits comes first.
STATES_SECONDS = 20.0


class WorkerCrashed(LexicError):
    """The worker ended several times while it read this document."""

    code = "worker_died"
    hint = "The document may need more memory than the worker has. Split it, or give the worker more."


@app.task(
    name="knowledge.ingest_document",
    bind=True,
    acks_late=True,
    reject_on_worker_lost=True,
    max_retries=MAX_ATTEMPTS - 1,
    autoretry_for=(OperationalError,),  # wherever the database was lost
    retry_backoff=FIRST_RETRY_SECONDS,
    retry_jitter=False,
)
def ingest_document(self: Task, *, document_id: str, **kwargs: Any) -> None:
    """Read this document, or that of another owner whose turn it is, and small ones beside it. Tries again, later and
    later, while the embedding provider, the database or the file storage is away."""
    claimed = ingest_scheduling.claim_next(UUID(document_id))
    if claimed is None:
        return
    document_id = str(claimed)
    starts = _count_start(document_id)
    if _has_crashed_too_often(document_id, starts):
        return
    try_again = partial(
        self.retry, kwargs={"document_id": document_id}, countdown=FIRST_RETRY_SECONDS * 2**self.request.retries
    )
    try:
        if starts == 1:  # what may have ended a worker is read by itself
            _read_small_together(claimed)
        ingest(claimed)
    except EmbedderError as error:
        attempt = self.request.retries + 1
        if attempt < MAX_ATTEMPTS:
            mark_waiting(claimed, attempt=attempt)
            raise try_again(exc=error) from error
        fail_provider_unavailable(claimed)
    except (OperationalError, StorageUnavailable) as error:
        raise try_again(exc=error) from error
    finally:  # reached on every way out but a crash of the process
        with suppress(OperationalError):  # then it is tried again, and what waits is found by the timetable
            # While another worker reads it, the count is about that one, and this message was used for nothing.
            is_read_elsewhere = lease.is_leased(claimed)
            if not is_read_elsewhere:
                cache.delete(_start_count_key(document_id))
            if waiting := ingest_scheduling.next_waiting(message_unused=is_read_elsewhere):
                publish_ingest(waiting)
    for base_id in Document.objects.filter(pk=document_id).values_list("knowledge_base_id", flat=True):
        enqueue_index_check(base_id)


def _read_small_together(claimed: UUID) -> None:
    """Read the document with the small ones that wait beside it, if there are any. Those that could not be read so wait
    again; this one is for the caller to go on with."""
    if beside := ingest_scheduling.claim_small_beside(claimed):
        left = ingest_together([claimed, *beside])
        back = [document_id for document_id in left if document_id != claimed]
        ingest_scheduling.return_to_queue(back)
        for document_id in back:  # their own messages may be used up
            publish_ingest(document_id)


def _has_crashed_too_often(document_id: str, starts: int) -> bool:
    """Whether too many starts had no end: then the document has been marked failed."""
    if starts <= MAX_STARTS or lease.is_leased(UUID(document_id)):
        return False
    if document := Document.objects.unfinished().filter(pk=document_id).first():
        mark_failed(document, WorkerCrashed())
    cache.delete(_start_count_key(document_id))
    return True


def _count_start(document_id: str) -> int:
    """How many starts without an end there were, with this one. The count begins anew when the cache loses it."""
    cache.add(_start_count_key(document_id), 0, START_COUNT_SECONDS)
    try:
        return cache.incr(_start_count_key(document_id))
    except ValueError:  # Redis went away between the two calls
        return 1


def _start_count_key(document_id: str) -> str:
    return f"knowledge:starts:{document_id}"


@app.task(name="knowledge.reread_page")
def reread_page(*, page_id: int, document_id: str, **kwargs: Any) -> bool:
    """Read one page of a document anew. Returns whether it was read; why it was not stands in the log."""
    page = page_corrections.page_to_reread(page_id, UUID(document_id))
    if page is None:
        return False
    try:
        page_corrections.reread_page(page)
    except LexicError as error:
        logger.warning("page %s of document %s was not read again: %s", page.number, document_id, error.message)
        return False
    return True


@app.task(name="knowledge.resume_unfinished")
def resume_unfinished(*, at_start: bool = False, **kwargs: Any) -> int:
    """Enqueue the unfinished documents that no worker holds: all of them when a worker starts, otherwise those that
    found no broker and those that have been quiet for a while. Returns how many.

    A message has whichever document read that is next, so no more are sent than documents wait without one.
    """
    held = lease.held_names()
    rows = Document.objects.unfinished() if at_start else _stale(Document.objects.unfinished())
    oldest = rows.order_by(F("updated_at").asc()).values_list("pk", flat=True)[:RESUME_BATCH_SIZE]
    free = [pk for pk in oldest if lease.document_lease_name(pk) not in held]
    ingest_scheduling.return_to_queue(free)  # whatever message comes next may have them read
    _touch(free)
    unsent = free[: _missing_messages()]
    for document_id in unsent:
        publish_ingest(document_id)
    return len(unsent)


def _touch(document_ids: list[UUID]) -> None:
    """They count as touched now, so that the next run does not look at them a second time."""
    now = timezone.now()
    rows = Document.objects.filter(pk__in=document_ids)
    rows.update(updated_at=now)
    rows.filter(queued_at__gt=now).update(queued_at=now)  # noted while the clock was wrong
    rows.filter(error_code=WAITING_FOR_BROKER).update(error_code="", error="")


def _missing_messages() -> int:
    """How many more documents wait than messages for them: others in their queue have no document read."""
    waiting = Document.objects.present().filter(status=DocumentStatus.QUEUED).count()
    try:
        return max(0, waiting - task_queues.count_messages(settings.READING_QUEUE, task=ingest_document.name))
    except task_queues.BrokerUnavailable:  # each document then says that it waits for it
        return waiting


def _stale(documents: DocumentQuerySet) -> DocumentQuerySet:
    now = timezone.now()
    waiting = Q(error_code=WAITING_ERROR_CODE)
    return documents.filter(
        Q(error_code=WAITING_FOR_BROKER)
        | (~waiting & Q(updated_at__lt=now - STALE_AFTER))
        | Q(updated_at__lt=now - STALE_WHILE_WAITING)
        | Q(updated_at__gt=now + STALE_AFTER)  # noted while the clock was wrong
    )


@app.task(name="knowledge.index_vectors")
def index_vectors(*, knowledge_base_id: int, **kwargs: Any) -> None:
    """Give a knowledge base that has grown large an index of its own, or take it away again, and give what came without
    token states these. Cheap otherwise."""
    base = KnowledgeBase.objects.filter(pk=knowledge_base_id).first()
    if base is None:
        drop_index(knowledge_base_id)
    else:
        if add_missing_states(base, seconds=STATES_SECONDS):
            enqueue_index_check(base.pk)
        ensure_index(base)


@app.task(name="knowledge.sync_source")
def sync_source(*, source_id: int, allows_removals: bool = False, **kwargs: Any) -> bool:
    """Sync this source: a remote one, or one that the timetable would sync. With `allows_removals` a person has
    confirmed that what a remote one no longer has is gone. Returns whether it was synced."""
    rows = Source.objects.select_related("knowledge_base__plugin").filter(pk=source_id)
    return any(_sync_if_allowed(source, allows_removals=allows_removals) for source in rows)


@app.task(name="knowledge.sync_sources")
def sync_sources(**kwargs: Any) -> int:
    """Sync every source under the operator's folders, and enqueue the remote ones that are due. Returns how many; one
    that fails does not stop the others."""
    now = timezone.now()
    due = list(Source.objects.due(now).order_by("due_at"))
    for source in due:
        # Should the message get lost, it is due again.
        source.set_due(now)
        source.save(update_fields=["due_at"])
        enqueue_sync(source.pk)
    local = Source.objects.on_this_server().select_related("knowledge_base__plugin")
    return len(due) + sum(_sync_if_allowed(source) for source in local)


def _sync_if_allowed(source: Source, *, allows_removals: bool = False) -> bool:
    if not (source.is_remote or runner.is_under_sync_root(source)):
        return False
    try:
        runner.run_sync(source, allow_empty=allows_removals and source.is_remote, reads_now=not source.is_remote)
    except LexicError as error:
        logger.warning("source %d, %s, could not be synced: %s", source.pk, source.shown_location, error.message)
        return False
    enqueue_index_check(source.knowledge_base_id)
    return True


@app.task(name="knowledge.prune_knowledge")
def prune_knowledge(**kwargs: Any) -> int:
    """Delete for good what left any knowledge base long enough ago and is pinned by no release. Returns the number of
    chunks."""
    left = Page.objects.filter(document__knowledge_base=OuterRef("pk"), removed_in__isnull=False)
    total = 0
    # One that moved to another embedder may still have the vectors of the one before.
    for base in KnowledgeBase.objects.filter(Q(Exists(left)) | Q(space__gt=0)).select_related("plugin"):
        if (age := pruning_age(base)) is None:
            continue
        deleted = prune_knowledge_base(base, older_than=age)
        if deleted or base.space:
            enqueue_index_check(base.pk)
        total += deleted
    Lease.objects.filter(expires_at__lt=timezone.now() - timedelta(days=1)).delete()  # of holders that died
    return total


@worker_ready.connect
def resume_at_start(**kwargs: Any) -> None:
    """When a worker that reads documents starts, it resumes what the one before left unfinished."""
    if consumes_queue(settings.READING_QUEUE):
        resume_unfinished.delay(at_start=True)
