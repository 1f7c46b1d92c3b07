"""What the worker does: read documents, pick up the unfinished ones, and clear away what nobody can see."""

from __future__ import annotations

import logging
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

from celery import Task, shared_task
from celery.signals import worker_ready
from django.conf import settings
from django.core.cache import cache
from django.db import OperationalError, transaction
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone
from kombu.exceptions import OperationalError as BrokerUnavailable

from knowledge import lease
from knowledge.embedders.base import EmbedderError
from knowledge.ingest import fail, ingest
from knowledge.models import Document, DocumentQuerySet, DocumentStatus, KnowledgeBase, Page, Source
from knowledge.prune import prune
from knowledge.vector_index import drop_index, ensure_index
from lexic.celery import consumes
from lexic.errors import LexicError

logger = logging.getLogger(__name__)

ATTEMPTS = 6
FIRST_WAIT = 10  # seconds; doubles with every attempt
WAITING = "waiting_for_provider"

# An upload does not wait for a broker that is away; a connection that went stale deserves a second try.
ONE_MORE_TRY = {"max_retries": 1, "interval_start": 0, "interval_step": 0.1, "interval_max": 0.1}

QUIET_FOR = timedelta(minutes=2)
QUIET_WHILE_WAITING = timedelta(minutes=10)
RESUMED_AT_ONCE = 500

# A document that ends its worker again and again must not do so for ever.
MOST_STARTS = 4
STARTS_KEPT = 24 * 3600


class ProviderUnavailable(LexicError):
    """The embedding provider could not be reached."""

    code = "provider_unavailable"
    status = 503
    hint = "Choose “Read again” when it is back: what was embedded already is kept."


class WorkerDied(LexicError):
    """The worker ended several times while it read this document."""

    code = "worker_died"
    hint = "The document may need more memory than the worker has. Split it, or give the worker more."


def enqueue(document_id: UUID) -> None:
    """Have a worker read the document, once the current transaction is committed.

    Without a broker the document stays `queued`, and is picked up by `resume_unfinished` later.
    """
    transaction.on_commit(partial(_send, document_id))


def review_index(knowledge_base_id: int) -> None:
    """Have a worker see to the vector index of a knowledge base that has changed, or is gone, once that is so."""
    transaction.on_commit(partial(_publish, index_vectors, knowledge_base_id=knowledge_base_id))


def _send(document_id: UUID) -> None:
    _publish(ingest_document, document_id=str(document_id))


def _publish(task: Task, **arguments: Any) -> None:
    try:
        task.apply_async(kwargs=arguments, retry_policy=ONE_MORE_TRY)
    except BrokerUnavailable as error:
        logger.warning("%s %s has to wait, the broker cannot be reached: %s", task.name, arguments, error)


@shared_task(
    name="knowledge.ingest_document",
    bind=True,
    acks_late=True,
    reject_on_worker_lost=True,
    max_retries=ATTEMPTS - 1,
)
def ingest_document(self: Task, *, document_id: str, **kwargs: Any) -> None:
    """Read one document. Tries again, later and later, while the embedding provider is away."""
    if _starts_too_often(document_id):
        return
    try:
        ingest(UUID(document_id))
    except EmbedderError as error:
        _try_later(self, document_id, error)
    except OperationalError as error:
        raise self.retry(exc=error, countdown=_wait(self.request.retries)) from error
    finally:  # everything but a sudden death comes by here
        _forget_starts(document_id)
    for base_id in Document.objects.filter(pk=document_id).values_list("knowledge_base_id", flat=True):
        review_index(base_id)


def _try_later(task: Task, document_id: str, error: EmbedderError) -> None:
    attempt = task.request.retries + 1
    if attempt >= ATTEMPTS:
        give_up_waiting(UUID(document_id))
        return
    note_waiting(UUID(document_id), attempt=attempt)
    raise task.retry(exc=error, countdown=_wait(task.request.retries)) from error


def _wait(retries: int) -> int:
    return FIRST_WAIT * 2**retries


def note_waiting(document_id: UUID, *, attempt: int) -> None:
    Document.objects.unfinished().filter(pk=document_id).update(
        status=DocumentStatus.EMBEDDING,
        error_code=WAITING,
        error=f"Waiting for the embedding provider, attempt {attempt} of {ATTEMPTS}.",
        updated_at=timezone.now(),
    )


def give_up_waiting(document_id: UUID) -> None:
    """The provider stayed away. What is staged stays, so that reading again goes on from there."""
    if document := Document.objects.unfinished().filter(pk=document_id).first():
        fail(document, ProviderUnavailable())


def _starts_too_often(document_id: str) -> bool:
    """Counts starts that had no end. True when there were too many: then the document has been marked failed."""
    cache.add(_starts_key(document_id), 0, STARTS_KEPT)
    if cache.incr(_starts_key(document_id)) <= MOST_STARTS or lease.is_leased(UUID(document_id)):
        return False
    if document := Document.objects.unfinished().filter(pk=document_id).first():
        fail(document, WorkerDied())
    cache.delete(_starts_key(document_id))
    return True


def _forget_starts(document_id: str) -> None:
    # While another worker reads it, the count is about that one.
    if not lease.is_leased(UUID(document_id)):
        cache.delete(_starts_key(document_id))


def _starts_key(document_id: str) -> str:
    return f"knowledge:starts:{document_id}"


@shared_task(name="knowledge.resume_unfinished")
def resume_unfinished(*, at_start: bool = False, **kwargs: Any) -> int:
    """Enqueue the unfinished documents that no worker holds: all of them when a worker starts, otherwise those
    that have been quiet for a while. Returns how many."""
    held = lease.held_keys()
    rows = Document.objects.unfinished() if at_start else _quiet(Document.objects.unfinished())
    oldest = rows.order_by(F("updated_at").asc()).values_list("pk", flat=True)[:RESUMED_AT_ONCE]
    free = [pk for pk in oldest if lease.document_key(pk) not in held]
    # Their turn is over until they have been quiet again, so that a long queue is not filled up with doubles.
    Document.objects.filter(pk__in=free).update(updated_at=timezone.now())
    for document_id in free:
        _send(document_id)
    return len(free)


def _quiet(documents: DocumentQuerySet) -> DocumentQuerySet:
    now = timezone.now()
    waiting = Q(error_code=WAITING)
    return documents.filter(
        (~waiting & Q(updated_at__lt=now - QUIET_FOR)) | Q(updated_at__lt=now - QUIET_WHILE_WAITING)
    )


@shared_task(name="knowledge.index_vectors")
def index_vectors(*, knowledge_base_id: int, **kwargs: Any) -> None:
    """Give a knowledge base that has grown large an index of its own, or take it away again. Cheap otherwise."""
    base = KnowledgeBase.objects.filter(pk=knowledge_base_id).first()
    if base is None:
        drop_index(knowledge_base_id)
    else:
        ensure_index(base)


def enqueue_sync(source_id: int) -> None:
    """Have a worker bring a source in step, once the current transaction is committed."""
    transaction.on_commit(partial(_publish, sync_source, source_id=source_id))


@shared_task(name="knowledge.sync_source")
def sync_source(*, source_id: int, **kwargs: Any) -> bool:
    """Bring this source in step, if the timetable would. Says whether it was."""
    rows = Source.objects.select_related("knowledge_base__plugin").filter(pk=source_id)
    return any(_synced(source) for source in rows)


@shared_task(name="knowledge.sync_sources")
def sync_sources(**kwargs: Any) -> int:
    """Bring every source under the operator's folders in step. Returns how many; one that fails stops no other."""
    return sum(_synced(source) for source in Source.objects.select_related("knowledge_base__plugin"))


def _synced(source: Source) -> bool:
    from knowledge.sync import run  # which asks for documents to be read, as everything does, through this module

    if not run.is_scheduled(source):
        return False
    try:
        run.sync(source)
    except LexicError as error:
        logger.warning("%s could not be synced: %s", source.location, error.message)
        return False
    review_index(source.knowledge_base_id)
    return True


@shared_task(name="knowledge.prune_knowledge")
def prune_knowledge(**kwargs: Any) -> int:
    """Delete for good what left any knowledge base and is pinned by no release. Returns the number of chunks."""
    return sum(_prune(base) for base in KnowledgeBase.objects.filter(_has_left_overs()))


def _has_left_overs() -> Q:
    left = Page.objects.filter(document__knowledge_base=OuterRef("pk"), removed_in__isnull=False)
    # One that moved to another embedder may still have the vectors of the one before.
    return Q(Exists(left)) | Q(space__gt=0)


def _prune(base: KnowledgeBase) -> int:
    deleted = prune(base)
    if deleted or base.space:
        review_index(base.pk)
    return deleted


@worker_ready.connect
def resume_at_start(**kwargs: Any) -> None:
    """A worker that comes back takes up what its predecessor left, if reading is what it does."""
    if consumes(settings.READING_QUEUE):
        resume_unfinished.delay(at_start=True)
