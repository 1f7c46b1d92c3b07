"""The moments at which what a knowledge base holds changes. Each is one transaction and one new revision."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db import transaction
from django.utils import timezone

from knowledge import webhook_events
from knowledge.models import Chunk, ChunkTerms, Document, DocumentStatus, Embedding, KnowledgeBase, Page
from knowledge.search import term_statistics
from knowledge.versions import embeddings
from knowledge.versions.progress import Superseded
from knowledge.versions.staging import discard_staged


def publish_version(document: Document, *, page_ids: Collection[int], columns: dict[str, Any]) -> None:
    """The staged version takes the place of the one that answers, with these columns on the document.

    Pages of the old version among `page_ids` stay. Raises `Superseded` when the version is no longer wanted, and
    `EmbedderChanged` when it was embedded for another embedder than the base has by now.
    """
    with transaction.atomic():
        base = KnowledgeBase.objects.select_for_update().get(pk=document.knowledge_base_id)
        _lock_current_version(document)
        _check_fully_embedded(document, space=base.space)
        revision = base.revision + 1
        removed = _close_chunks(document, revision=revision)
        _live_rows(Page, document).exclude(pk__in=page_ids).update(removed_in=revision)
        added = _open_staged_rows(document, revision=revision)
        _advance_revision(base, revision=revision, added=added, removed=removed)
        _mark_ready(document, columns | ({} if document.added_in else {"added_in": revision}))


def mark_unchanged(document: Document, *, columns: dict[str, Any]) -> None:
    """The document was read again and says what it said: it is ready, and no new revision is needed."""
    with transaction.atomic():
        _lock_current_version(document)
        _mark_ready(document, columns)


def remove_document(document: Document) -> None:
    """The document leaves the knowledge base. What a release pins stays readable at that release's revision.

    One that never was ready leaves no trace and makes no revision. One that is gone already stays gone.
    """
    with transaction.atomic():
        base = KnowledgeBase.objects.select_for_update().get(pk=document.knowledge_base_id)
        current = Document.objects.select_for_update().present().filter(pk=document.pk).first()
        if current is None:
            return
        discard_staged(current.pk)
        if current.added_in is None:
            current.delete()
        else:
            _close_document(base, current)


def _close_document(base: KnowledgeBase, document: Document) -> None:
    revision = base.revision + 1
    removed = _close_chunks(document, revision=revision)
    _live_rows(Page, document).update(removed_in=revision)
    Document.objects.filter(pk=document.pk).update(removed_in=revision, updated_at=timezone.now())
    _advance_revision(base, revision=revision, added=[], removed=removed)


def _lock_current_version(document: Document) -> None:
    """Locks the document's row; raises `Superseded` when this version of it is no longer wanted."""
    version = Document.objects.version(document.pk, sha256=document.sha256, title=document.title)
    if not version.select_for_update().exists():
        raise Superseded


def _check_fully_embedded(document: Document, *, space: int) -> None:
    if embeddings.chunks_without_embeddings(document.chunks.staged(), space=space).exists():
        raise embeddings.EmbedderChanged


def _live_rows(model: type[Page] | type[Chunk] | type[ChunkTerms] | type[Embedding], document: Document) -> Any:
    return model.objects.filter(document=document, added_in__isnull=False, removed_in=None)


def _close_chunks(document: Document, *, revision: int) -> list[int]:
    removed = list(_live_rows(Chunk, document).values_list("pk", flat=True))
    for model in (Embedding, ChunkTerms, Chunk):
        _live_rows(model, document).update(removed_in=revision)
    return removed


def _open_staged_rows(document: Document, *, revision: int) -> list[int]:
    added = list(Chunk.objects.staged().filter(document=document).values_list("pk", flat=True))
    for model in (Page, Chunk, ChunkTerms, Embedding):
        model.objects.staged().filter(document=document).update(added_in=revision)
    return added


def _advance_revision(
    base: KnowledgeBase, *, revision: int, added: Collection[int], removed: Collection[int]
) -> None:
    term_statistics.record_revision_statistics(base, revision=revision, added=added, removed=removed)
    KnowledgeBase.objects.filter(pk=base.pk).update(revision=revision)


def _mark_ready(document: Document, columns: dict[str, Any]) -> None:
    Document.objects.filter(pk=document.pk).update(
        status=DocumentStatus.READY,
        ready_sha256=document.sha256,
        ready_file_name=document.file_name,
        ready_source_type=document.source_type,
        expected_at=None,
        error="",
        error_code="",
        updated_at=timezone.now(),
        **columns,
    )
    webhook_events.record_document_ready(
        document,
        title=columns.get("title", document.title),
        page_count=columns.get("page_count", document.page_count),
    )
