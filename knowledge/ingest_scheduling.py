"""Decides which document is read next: owners take turns, so that one owner's five hundred files do not delay another's
one.

A message in the queue says that there is work, and names one document. The worker reads that one if it has been started
and left; else the next one of the owner whose turn it is, small files before large ones. Small ones of one knowledge
base are read together.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import Count, F, Max, Min, Q
from django.utils import timezone

from accounts.quotas import READS
from knowledge import lease
from knowledge.models import Document, DocumentQuerySet, DocumentStatus, SourceType

_IN_PROGRESS = (DocumentStatus.READING, DocumentStatus.CHUNKING, DocumentStatus.EMBEDDING)
# A document that nothing was heard of for so long is not being read: its reader died.
_SILENT_AFTER = timedelta(minutes=10)
# Whoever was served longer ago has waited as long as whoever was never served.
_REMEMBERED = timedelta(hours=1)
# A document that takes longer makes way for others, if any wait: a scan of three hundred pages takes half an hour.
TURN_SECONDS = 60.0

# Documents that are read together, when nobody else waits and when somebody does.
SMALL_TOGETHER, SMALL_AMONG_OTHERS = 32, 4
SMALL_BYTES = 32 * 1024
# They have to be fetched, or bring others with them, or a small file of them may take long.
_READ_ALONE = (SourceType.URL, SourceType.EML, SourceType.PDF, SourceType.IMAGE)


class TurnEnded(Exception):
    """The document has been read for a while, and others wait."""


class ReadingTurn:
    """One reading of a document, from now on. A long one makes way for others, and goes on after the pages that it has
    stored when they have been read."""

    def __init__(self, document_id: UUID) -> None:
        self._document_id = document_id
        self._began = time.monotonic()

    def check(self) -> None:
        """Raises `TurnEnded` when it has taken long and another document waits."""
        if time.monotonic() - self._began >= TURN_SECONDS and self._others().exists():
            raise TurnEnded

    def _others(self) -> DocumentQuerySet:
        return Document.objects.present().filter(status=DocumentStatus.QUEUED).exclude(pk=self._document_id)


def rejoin_queue(document_id: UUID) -> None:
    """Put a document that is being read behind those that wait."""
    reading = Document.objects.present().filter(pk=document_id, status=DocumentStatus.READING)
    now = timezone.now()
    reading.update(status=DocumentStatus.QUEUED, expected_at=None, updated_at=now, queued_at=now)


def claim_next(document_id: UUID) -> UUID | None:
    """Marks a document as being read, for the message that names this one, and returns it. None where no document
    waits, or where as many are being read as the quotas allow.

    A document that was begun already, and left, is continued. One that another worker reads needs no second one: its
    message then serves the next that waits.
    """
    named = Document.objects.unfinished().filter(pk=document_id)
    if named.exclude(status=DocumentStatus.QUEUED).exists() and not lease.is_leased(document_id):
        return document_id
    while (chosen := _next_document()) is not None:
        # Another reader may have been quicker.
        claimed = Document.objects.present().filter(pk=chosen, status=DocumentStatus.QUEUED)
        if claimed.update(status=DocumentStatus.READING, updated_at=timezone.now()):
            return chosen
    return None


def claim_small_beside(document_id: UUID) -> list[UUID]:
    """Other documents to read in the same turn as this one, marked as being read: small ones that are new to the same
    knowledge base. None where this one is not such a one itself, or where it is limited how many are read at once.
    """
    this = _small_and_new(DocumentStatus.READING).filter(pk=document_id)
    head = this.values("knowledge_base", "knowledge_base__owner").first()
    if head is None or READS.limit("account") or READS.limit("site"):
        return []
    waiting = Document.objects.present().filter(status=DocumentStatus.QUEUED)
    others_wait = waiting.exclude(knowledge_base__owner=head["knowledge_base__owner"]).exists()
    beside = _small_and_new(DocumentStatus.QUEUED).filter(knowledge_base=head["knowledge_base"])
    most = SMALL_AMONG_OTHERS if others_wait else SMALL_TOGETHER
    with transaction.atomic():
        # Another reader may be choosing at the same moment.
        chosen = beside.in_reading_order().select_for_update(skip_locked=True, of=("self",))[: most - 1]
        ids = [document.pk for document in chosen.only("pk")]
        Document.objects.filter(pk__in=ids).update(status=DocumentStatus.READING, updated_at=timezone.now())
    return ids


def claim_small(document_ids: Collection[UUID]) -> list[UUID]:
    """The waiting documents among these that are small and new to their knowledge base, marked as being read."""
    small = _small_and_new(DocumentStatus.QUEUED).filter(pk__in=document_ids)
    with transaction.atomic():
        ids = [document.pk for document in small.select_for_update(skip_locked=True, of=("self",)).only("pk")]
        Document.objects.filter(pk__in=ids).update(status=DocumentStatus.READING, updated_at=timezone.now())
    return ids


def return_to_queue(document_ids: Collection[UUID]) -> None:
    """Returns documents to their place in the queue that are marked as being read although no worker reads them."""
    begun = Document.objects.present().filter(pk__in=document_ids, status__in=_IN_PROGRESS)
    begun.update(status=DocumentStatus.QUEUED, expected_at=None, updated_at=timezone.now())


def _small_and_new(status: DocumentStatus) -> DocumentQuerySet:
    rows = Document.objects.unfinished().new().filter(status=status, file_bytes__lte=SMALL_BYTES)
    return rows.exclude(source_type__in=_READ_ALONE).exclude(sha256="")


def next_waiting(*, message_unused: bool = False) -> UUID | None:
    """The oldest document that waits though its message may be used up. None where no quota of reads is set and a
    document was read for the last message, because then one is read for every message."""
    if not (message_unused or READS.limit("account") or READS.limit("site")):
        return None
    waiting = Document.objects.present().filter(status=DocumentStatus.QUEUED)
    return waiting.in_reading_order().values_list("pk", flat=True).first()


def _next_document() -> UUID | None:
    now = timezone.now()
    reading = Q(status__in=_IN_PROGRESS, updated_at__gte=now - _SILENT_AFTER, error_code="")
    queued = Q(status=DocumentStatus.QUEUED)
    rows = Document.objects.present().filter(queued | Q(updated_at__gte=now - _REMEMBERED)).order_by()
    if (most := READS.limit("site")) and rows.filter(reading).count() >= most:
        return None
    owners = rows.values(owner=F("knowledge_base__owner")).annotate(
        reading=Count("pk", filter=reading),
        waiting_since=Min("queued_at", filter=queued),
        served_at=Max("updated_at", filter=~queued),
    )
    owners = owners.filter(waiting_since__isnull=False)
    if most := READS.limit("account"):
        owners = owners.filter(reading__lt=most)
    turn = owners.order_by("reading", F("served_at").asc(nulls_first=True), "waiting_since").first()
    if turn is None:
        return None
    theirs = Document.objects.present().filter(queued, knowledge_base__owner=turn["owner"])
    return theirs.in_reading_order().values_list("pk", flat=True).first()
