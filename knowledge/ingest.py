"""A document in, pages and chunks out.

`ingest` may be called as often as one likes, from as many processes as one likes: one of them works, and takes up
what an earlier attempt left staged. No transaction is open while a document is read or embedded, and what answered
before goes on answering until the last step.
"""

from __future__ import annotations

import logging
from contextlib import closing
from functools import partial
from uuid import UUID

from django.db import OperationalError, transaction
from django.utils import timezone

from knowledge import arriving, chunks, events, labels, lease, swap, vectors
from knowledge.embedders import get_embedder
from knowledge.embedders.base import Embedder, EmbedderError
from knowledge.models import (
    Document,
    DocumentQuerySet,
    DocumentStatus,
    SourceType,
)
from knowledge.pages import Reading, stage_pages
from knowledge.progress import OnProgress, Progress, Superseded
from knowledge.sandbox import read_pages
from knowledge.source import source_of
from knowledge.staging import discard
from lexic.errors import LexicError

logger = logging.getLogger(__name__)

# SQLSTATE classes that pass: connection, rollback (deadlock), resources, operator. Others stay true on a retry.
PASSING = ("08", "40", "53", "55", "57")


class NothingToCite(LexicError):
    """The document holds no text that could be cited."""

    code = "no_text"
    status = 422
    hint = "If it is a scan, run text recognition (OCR) on it and upload the result."


class ReadingFailed(LexicError):
    """Something unexpected went wrong while this document was read."""

    code = "unexpected"
    hint = "Try “Read again”. The server's log has the details."


def ingest(document_id: UUID, *, on_progress: OnProgress | None = None, embedder: Embedder | None = None) -> None:
    """Read the document and let it answer. Returns when it is ready or failed, is gone, or another one reads it.

    A failure is noted on the document, in words. Raised are only what may pass, for the caller to try again: an
    `EmbedderError` that is retryable and an `OperationalError` of the database; what was staged is kept then.
    `embedder` stands in for the one that the knowledge base names.
    """
    # More than once when somebody uploads a new version in the middle: its own task finds the lease taken.
    while _unfinished(document_id):
        with lease.leased(document_id) as ours:
            if not ours:
                return
            if document := _unfinished(document_id):
                _read_version(document, on_progress=on_progress, embedder=embedder)


def fail(document: Document, error: LexicError) -> None:
    """The document could not be read, and why. Says nothing when it has been deleted or replaced meanwhile."""
    with transaction.atomic():
        is_noted = _version(document).update(
            status=DocumentStatus.FAILED,
            error_code=error.code[:40],
            error=f"{error.message} {error.hint}".strip(),
            updated_at=timezone.now(),
        )
        if is_noted:
            events.document_failed(document, error=error)


def _unfinished(document_id: UUID) -> Document | None:
    rows = Document.objects.unfinished().select_related("knowledge_base__plugin")
    return rows.filter(pk=document_id).first()


def _version(document: Document) -> DocumentQuerySet:
    return Document.objects.version(document.pk, sha256=document.sha256)


def _read_version(document: Document, *, on_progress: OnProgress | None, embedder: Embedder | None) -> None:
    try:
        embedder = embedder or get_embedder(document.knowledge_base.embedder)
        _read(document, embedder=embedder, on_progress=on_progress)
    except (Superseded, vectors.EmbedderChanged):
        _forget_if_unwanted(document)
    except LexicError as error:
        if isinstance(error, EmbedderError) and error.retryable:
            raise
        _give_up(document, error)
    except OperationalError as error:
        if _may_pass(error):
            raise
        _give_up_unexpectedly(document)
    except Exception:  # whatever a hostile document provokes, the worker lives
        _give_up_unexpectedly(document)


def _read(document: Document, *, embedder: Embedder, on_progress: OnProgress | None) -> None:
    vectors.agree_on_dimensions(document.knowledge_base, embedder.dimensions)
    if arriving.is_staged(document):
        arriving.embed(document, embedder=embedder, progress=_progress(document, on_progress))
        return
    source = source_of(document)
    progress = _progress(document, on_progress)

    progress.enter(DocumentStatus.READING, pages_done=0, pages_total=None, chunks_done=0, chunks_total=None)
    with closing(read_pages(source.path, source_type=source.source_type)) as events:
        reading = stage_pages(document, events, progress=progress)

    progress.enter(DocumentStatus.CHUNKING, pages_done=len(reading.pages), pages_total=len(reading.pages))
    title = _title(document, reading, source_type=source.source_type)
    planned = chunks.plan_chunks(document, reading, title=title, embedder=embedder)
    if not planned:
        raise NothingToCite
    columns = partial(_columns, document, reading, title=title, chunk_count=len(planned))
    if chunks.is_as_before(document, planned, reading):
        discard(document.pk)
        swap.keep_as_is(document, columns=columns())
        return
    chunks.stage_chunks(document, planned, reading, title=title)

    progress.enter(DocumentStatus.EMBEDDING, chunks_total=len(planned))
    vectors.embed_staged(document, embedder=embedder, progress=progress)
    swap.swap_in(document, page_ids=reading.page_ids.values(), columns=columns())


def _progress(document: Document, on_progress: OnProgress | None) -> Progress:
    return Progress(document_id=document.pk, sha256=document.sha256, title=document.title, on_progress=on_progress)


def _title(document: Document, reading: Reading, *, source_type: str) -> str:
    """What people called it; else what it calls itself. The titles inside PDF files are mostly leftovers."""
    unnamed = document.title in (labels.title_from(document.file_name), document.url)
    return reading.title[:300] if unnamed and reading.title and source_type != SourceType.PDF else document.title


def _columns(document: Document, reading: Reading, *, title: str, chunk_count: int) -> dict[str, object]:
    # People may have said something about it while it was read: that counts more than what the file says.
    document.refresh_from_db(fields=[*labels.FROM_FILES, "metadata"])
    return {
        **labels.fill_in(document, reading.metadata),
        "title": title,
        "page_count": len(reading.pages) if reading.is_paged else None,
        "pages_total": len(reading.pages),
        "pages_done": len(reading.pages),
        "chunks_total": chunk_count,
        "chunks_done": chunk_count,
    }


def _give_up(document: Document, error: LexicError) -> None:
    discard(document.pk)
    fail(document, error)


def _give_up_unexpectedly(document: Document) -> None:
    if _version(document).exists():
        logger.exception("document %s could not be read", document.pk)
        _give_up(document, ReadingFailed())
    else:
        _forget_if_unwanted(document)


def _forget_if_unwanted(document: Document) -> None:
    """What was staged for a document that is deleted, or whose reading was stopped, is of no use. For a replaced one
    the next round sorts it out."""
    if not _unfinished(document.pk):
        discard(document.pk)


def _may_pass(error: OperationalError) -> bool:
    state = getattr(error.__cause__, "sqlstate", None)
    return state is None or state.startswith(PASSING)
