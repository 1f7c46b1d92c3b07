"""Cancels the reading of a document; the version that was live before stays live."""

from __future__ import annotations

from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from knowledge.documents.source_file import DuplicateContent
from knowledge.legal_hold import check_removable
from knowledge.models import Document, DocumentStatus, KnowledgeBase
from knowledge.versions import publish_version
from knowledge.versions.writer import discard_staged
from lexic.errors import Conflict, NotFound


class NothingToCancel(Conflict):
    """This document has been read already."""

    code = "nothing_to_stop"
    hint = "Remove it, or give it another version."


def cancel_ingestion(document: Document) -> Document | None:
    """Drop the version that waits, is being read or could not be read. The worker notices at its next progress report.

    Returns the document as it was before that version; None when it was never ready and is deleted now. Raises
    `NotFound`, `NothingToCancel`, `UnderLegalHold` where the document would be deleted, and `DuplicateContent` when
    another document has taken its former bytes.
    """
    try:
        with transaction.atomic():
            KnowledgeBase.objects.select_for_update(no_key=True).get(pk=document.knowledge_base_id)
            current = Document.objects.select_for_update().present().filter(pk=document.pk).first()
            if current is None:
                raise NotFound
            if current.status == DocumentStatus.READY:
                raise NothingToCancel
            return _restore_or_remove(current)
    except IntegrityError:
        raise DuplicateContent from None


def _restore_or_remove(document: Document) -> Document | None:
    if document.added_in is None:
        check_removable(document.knowledge_base)
        publish_version.remove_document(document)
        return None
    discard_staged(document.pk)
    Document.objects.filter(pk=document.pk).update(**_ready_version_columns(document))
    document.refresh_from_db()
    return document


def _ready_version_columns(document: Document) -> dict[str, Any]:
    """The columns of the live version. Older documents have its source type only on their chunks."""
    pages = document.pages.live()
    chunks = document.chunks.live()
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
