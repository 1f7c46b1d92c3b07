"""Reads a document into pages and chunks, embeds them, and publishes them as its new version.

`ingest` may be called repeatedly and by many processes at once: one of them does the work, and uses what an earlier
attempt left staged. No transaction is open while a document is read or embedded, and the version before stays live
until the last step.
"""

from __future__ import annotations

import logging
import re
import time
from contextlib import closing
from uuid import UUID

from django.db import OperationalError, transaction
from django.utils import timezone

from knowledge import ingest_scheduling, lease, task_queue, webhook_events
from knowledge.documents import mail_attachments, metadata_columns, prepared_import
from knowledge.documents.reading_limits import reading_limits
from knowledge.documents.source_file import SourceFile, source_file
from knowledge.embedders import get_embedder
from knowledge.embedders.base import Embedder, EmbedderError
from knowledge.models import Document, DocumentQuerySet, DocumentStatus, SourceType
from knowledge.readers.isolation.reader_process import read_pages
from knowledge.readers.types import ReadingTimedOut
from knowledge.versions import embeddings, publish_version, staged_rows
from knowledge.versions.chunk_plan import ParsedSource, plan_chunks
from knowledge.versions.progress import OnStageProgress, Superseded, VersionProgress
from knowledge.versions.writer import discard_staged
from lexic.errors import LexicError
from lexic.storage import StorageUnavailable

logger = logging.getLogger(__name__)
_WORD = re.compile(r"\w+")

# SQLSTATE classes that pass: connection, rollback (deadlock), resources, operator. Others stay true on a retry.
TRANSIENT_SQLSTATES = ("08", "40", "53", "55", "57")
POLL_SECONDS = 0.5  # while another process reads the document

MAX_ATTEMPTS = 6  # of a worker, to reach the embedding provider
WAITING_ERROR_CODE = "waiting_for_provider"


class NoCitableText(LexicError):
    """The document holds no text that could be cited."""

    code = "no_text"
    status = 422
    hint = "If it is a scan, run text recognition (OCR) on it and upload the result."


class ProviderUnavailable(LexicError):
    """The embedding provider could not be reached."""

    code = "provider_unavailable"
    status = 503
    hint = "Choose “Read again” when it is back: what was embedded already is kept."


class UnexpectedIngestError(LexicError):
    """Something unexpected went wrong while this document was read."""

    code = "unexpected"
    hint = "Try “Read again”. The server's log has the details."


def ingest(document_id: UUID, *, on_progress: OnStageProgress | None = None, embedder: Embedder | None = None) -> None:
    """Read the document and publish it. Returns when it is ready, failed or gone, when another process reads it, or
    when it has made way for others that wait and stands in the queue again.

    A failure is written on the document. Raises only errors that may pass, so that the caller can try again: an
    `EmbedderError` that is retryable, `StorageUnavailable`, and an `OperationalError` of the database; then what was
    staged stays staged.
    `embedder` is used in place of the one that the knowledge base names.
    """
    # Repeats when a new version was uploaded meanwhile: the task for that version found the lease taken and stopped.
    while _unfinished_document(document_id):
        with lease.document_lease(document_id) as ours:
            if not ours:
                return
            if document := _unfinished_document(document_id):
                try:
                    _ingest_version(document, on_progress=on_progress, embedder=embedder)
                except lease.LeaseLost:  # whoever took the work over ends it
                    return
                except ingest_scheduling.TurnEnded:
                    ingest_scheduling.rejoin_queue(document_id)
                    task_queue.publish_ingest(document_id)
                    return


def ingest_until_done(document_id: UUID, *, on_progress: OnStageProgress | None = None) -> None:
    """Read the document here and now. Returns when it is ready, failed or gone, whoever has read it."""
    while _unfinished_document(document_id):
        try:
            ingest(document_id, on_progress=on_progress)
        except EmbedderError:
            fail_provider_unavailable(document_id)
        if _unfinished_document(document_id):  # a worker was quicker and is reading it
            time.sleep(POLL_SECONDS)


def mark_failed(document: Document, error: LexicError) -> None:
    """Write on the document why it could not be read, unless it has been deleted or replaced meanwhile."""
    with transaction.atomic():
        is_noted = _version_rows(document).update(
            status=DocumentStatus.FAILED,
            error_code=error.code[:40],
            error=error.message_with_hint,
            updated_at=timezone.now(),
        )
        if is_noted:
            webhook_events.record_document_failed(document, error=error)


def mark_waiting(document_id: UUID, *, attempt: int) -> None:
    """Note on the document that the embedding provider is away, and will be tried again."""
    Document.objects.unfinished().filter(pk=document_id).update(
        status=DocumentStatus.EMBEDDING,
        error_code=WAITING_ERROR_CODE,
        error=f"Waiting for the embedding provider, attempt {attempt} of {MAX_ATTEMPTS}.",
        updated_at=timezone.now(),
    )


def fail_provider_unavailable(document_id: UUID) -> None:
    """Mark the document failed because the provider stayed away. What is staged stays for the next reading."""
    if document := _unfinished_document(document_id):
        mark_failed(document, ProviderUnavailable())


def _unfinished_document(document_id: UUID) -> Document | None:
    rows = Document.objects.unfinished().select_related("knowledge_base__plugin")
    return rows.filter(pk=document_id).first()


def _version_rows(document: Document) -> DocumentQuerySet:
    return Document.objects.version(document.pk, sha256=document.sha256)


def _ingest_version(document: Document, *, on_progress: OnStageProgress | None, embedder: Embedder | None) -> None:
    try:
        embedder = embedder or get_embedder(document.knowledge_base.embedder)
        _run_stages(document, embedder=embedder, on_progress=on_progress)
    except (lease.LeaseLost, ingest_scheduling.TurnEnded):
        raise
    except (Superseded, embeddings.EmbedderChanged):
        _discard_if_finished(document)
    except ReadingTimedOut as error:
        # What was read stays staged: the next reading goes on after it.
        mark_failed(document, error)
    except LexicError as error:
        if is_retryable(error):
            raise
        _discard_and_fail(document, error)
    except OperationalError as error:
        if is_transient(error):
            raise
        _fail_unexpectedly(document)
    except Exception:  # a hostile document must not end the worker
        _fail_unexpectedly(document)


def _run_stages(document: Document, *, embedder: Embedder, on_progress: OnStageProgress | None) -> None:
    embeddings.ensure_dimensions(document.knowledge_base, embedder.dimensions)
    if prepared_import.has_staged_import(document) and not document.is_unverified:
        prepared_import.embed_staged_import(document, embedder=embedder, progress=_new_progress(document, on_progress))
        return
    with source_file(document) as source:
        progress = _new_progress(document, on_progress)
        reading = _stage_pages(document, source, progress=progress)

    progress.enter_stage(DocumentStatus.CHUNKING, pages_done=len(reading.pages), pages_total=len(reading.pages))
    title = resolve_title(document, reading, source_type=source.source_type)
    planned = plan_chunks(document, reading, title=title, embedder=embedder)
    if not planned:
        raise NoCitableText
    if is_unchanged := staged_rows.is_unchanged(document, planned, reading):
        discard_staged(document.pk)
    else:
        staged_rows.stage_chunks(document, planned, reading, title=title)
        progress.enter_stage(DocumentStatus.EMBEDDING, chunks_total=len(planned))
        embeddings.embed_staged_chunks(document, embedder=embedder, progress=progress)

    if source.source_type == SourceType.EML:
        # First: where this process ends before the e-mail is published, the next one adds those that lack.
        reading.metadata |= mail_attachments.add_attachments(document, title=title)
    columns = _current_columns(document, reading, title=title, chunk_count=len(planned))
    if is_unchanged:
        publish_version.mark_unchanged(document, columns=columns)
    else:
        publish_version.publish_version(document, page_ids=reading.page_ids.values(), columns=columns)


def _stage_pages(document: Document, source: SourceFile, *, progress: VersionProgress) -> ParsedSource:
    """Read the file from where an earlier attempt ended."""
    kept, resume = staged_rows.kept_pages(document)
    counters = {"pages_done": len(kept.pages), "pages_total": None, "chunks_done": 0, "chunks_total": None}
    progress.enter_stage(DocumentStatus.READING, **counters)
    limits = reading_limits()
    with closing(read_pages(source.path, source_type=source.source_type, limits=limits, resume=resume)) as events:
        turn = ingest_scheduling.ReadingTurn(document.pk)
        return staged_rows.stage_pages(document, events, progress=progress, kept=kept, on_stored=turn.check)


def _new_progress(document: Document, on_progress: OnStageProgress | None) -> VersionProgress:
    return VersionProgress(
        document_id=document.pk, sha256=document.sha256, title=document.title, on_progress=on_progress
    )


def resolve_title(document: Document, reading: ParsedSource, *, source_type: str) -> str:
    """The title that a person gave, else the one in the source. Titles inside PDF files are mostly left from a template
    or another file: one counts where the first page says it too."""
    is_only_place = metadata_columns.is_title_of_file(document.title, document.file_name) or (
        document.title == document.url
    )
    if document.is_named or not is_only_place or not reading.title:
        return document.title
    is_believed = source_type != SourceType.PDF or _is_on_first_page(reading.title, reading)
    return reading.title[:300] if is_believed else document.title


def _is_on_first_page(title: str, reading: ParsedSource) -> bool:
    words, page = (_WORD.findall(text.casefold()) for text in (title, reading.pages[0].text if reading.pages else ""))
    return len(words) > 1 and f" {' '.join(words)} " in f" {' '.join(page)} "


def _current_columns(document: Document, reading: ParsedSource, *, title: str, chunk_count: int) -> dict[str, object]:
    # A person may have set labels while it was read: they win over what the file says.
    document.refresh_from_db(fields=[*metadata_columns.FILE_METADATA_COLUMNS, "metadata"])
    return ready_columns(document, reading, title=title, chunk_count=chunk_count)


def ready_columns(document: Document, reading: ParsedSource, *, title: str, chunk_count: int) -> dict[str, object]:
    """What the row says of a document that has been read; its labels in the row win over those of the file."""
    return {
        **metadata_columns.merge_file_metadata(document, reading.metadata),
        **reading.counters(chunk_count=chunk_count),
        "title": title,
        "is_unverified": False,
    }


def _discard_and_fail(document: Document, error: LexicError) -> None:
    lease.confirm_held()
    discard_staged(document.pk)
    mark_failed(document, error)


def _fail_unexpectedly(document: Document) -> None:
    if _version_rows(document).exists():
        logger.exception("document %s could not be read", document.pk)
        _discard_and_fail(document, UnexpectedIngestError())
    else:
        _discard_if_finished(document)


def _discard_if_finished(document: Document) -> None:
    """Discard what was staged for a document that is deleted or whose reading was stopped.

    A document that was replaced is read again in the next round, which discards what it cannot use.
    """
    if not _unfinished_document(document.pk):
        discard_staged(document.pk)


def is_retryable(error: LexicError) -> bool:
    """Whether it is worth reading the document again later."""
    return isinstance(error, StorageUnavailable) or (isinstance(error, EmbedderError) and error.retryable)


def is_transient(error: OperationalError) -> bool:
    """Whether the database may be there again when the work is tried later."""
    state = getattr(error.__cause__, "sqlstate", None)
    return state is None or state.startswith(TRANSIENT_SQLSTATES)
