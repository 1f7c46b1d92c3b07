"""Reading that is not wanted any more is stopped, and what answered before goes on answering."""

from __future__ import annotations

from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from knowledge import swap
from knowledge.models import Document, DocumentStatus, KnowledgeBase
from knowledge.source import SameBytes
from knowledge.staging import discard
from lexic.errors import Conflict, NotFound


class NothingToStop(Conflict):
    """This document has been read already."""

    code = "nothing_to_stop"
    hint = "Remove it, or give it another version."


def stop_reading(document: Document) -> Document | None:
    """Give up the version that waits, is being read or could not be read. The worker notices at its next report.

    The document is then what it was before, and that is returned; None when it never answered and is gone. Raises
    `NotFound`, `NothingToStop`, and `SameBytes` when another document has taken its former bytes.
    """
    try:
        with transaction.atomic():
            KnowledgeBase.objects.select_for_update().get(pk=document.knowledge_base_id)
            current = Document.objects.select_for_update().present().filter(pk=document.pk).first()
            if current is None:
                raise NotFound
            if current.status == DocumentStatus.READY:
                raise NothingToStop
            return _given_up(current)
    except IntegrityError:
        raise SameBytes from None


def _given_up(document: Document) -> Document | None:
    if document.added_in is None:
        swap.take_out(document)
        return None
    discard(document.pk)
    Document.objects.filter(pk=document.pk).update(**_as_it_was(document))
    document.refresh_from_db()
    return document


def _as_it_was(document: Document) -> dict[str, Any]:
    """The columns of the version that answers. Rows from before its names were kept have them on their chunks."""
    pages = document.pages.filter(added_in__isnull=False, removed_in=None)
    chunks = document.chunks.filter(added_in__isnull=False, removed_in=None)
    kind = document.ready_source_type or chunks.values_list("source_type", flat=True).first()
    page_total, chunk_total = pages.count(), chunks.count()
    return {
        "status": DocumentStatus.READY,
        "sha256": document.ready_sha256,
        "file_name": document.ready_file_name or document.file_name,
        "source_type": kind or document.source_type,
        "error": "",
        "error_code": "",
        "expected_at": None,
        "pages_done": page_total,
        "pages_total": page_total,
        "chunks_done": chunk_total,
        "chunks_total": chunk_total,
        "updated_at": timezone.now(),
    }
