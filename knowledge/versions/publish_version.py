"""Publishes the staged version of a document, or removes a document. Each is one transaction and one new revision."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from knowledge import lease, webhook_events
from knowledge.embedders.base import EmbeddedChunk
from knowledge.legal_hold import plugins_holding
from knowledge.models import Document, DocumentStatus, KnowledgeBase
from knowledge.revision_pins import release_pins_of_deleted
from knowledge.versions import embeddings, writer
from knowledge.versions.chunk_plan import PlannedDocument
from knowledge.versions.document_languages import record_languages
from knowledge.versions.progress import Superseded

MakeColumns = Callable[[PlannedDocument], dict[str, Any]]


def publish_version(document: Document, *, page_ids: Collection[int], columns: dict[str, Any]) -> None:
    """Replace the live version of the document by the staged one, with these columns on the document.

    Pages of the old version among `page_ids` stay. Raises `Superseded` when the version is no longer wanted, and
    `EmbedderChanged` when it was embedded for another embedder than the base has by now.
    """
    with transaction.atomic():
        base = KnowledgeBase.objects.select_for_update(no_key=True).get(pk=document.knowledge_base_id)
        _lock_current_version(document)
        embeddings.check_fully_embedded(document.chunks.staged(), space=base.space)
        revision = base.revision + 1
        removed = writer.close_versions([document.pk], revision=revision, kept_pages=page_ids)
        added = writer.open_staged(base, document, revision=revision)
        writer.advance_revision(base, added=added, removed=removed)
        _mark_ready(base, document, columns | ({} if document.added_in else {"added_in": revision}))


def publish_new(
    planned: Sequence[PlannedDocument], *, vectors: Mapping[bytes, EmbeddedChunk], space: int, columns: MakeColumns
) -> None:
    """Publish documents that are new to their knowledge base, the same for all, in one revision. Those that are no
    longer wanted as they were read stay as they are.

    `vectors` as for `write_documents`, made for this space; `columns` gives those of each document by its row as it is
    now. Raises `EmbedderChanged` and `LeaseLost`.
    """
    with transaction.atomic():
        base = KnowledgeBase.objects.select_for_update(no_key=True).get(pk=planned[0].document.knowledge_base_id)
        if base.space != space:
            raise embeddings.EmbedderChanged
        lease.confirm_held()
        rows = _lock_new_documents(planned)
        wanted = [replace(one, document=rows[one.document.pk]) for one in planned if one.document.pk in rows]
        if not wanted:
            return
        revision = base.revision + 1
        added = writer.write_documents(base, wanted, vectors=vectors, revision=revision)
        writer.advance_revision(base, added=added)
        told = []
        for one in wanted:
            said = {**columns(one), "added_in": revision}
            _write_ready(one.document, said)
            told.append((one.document, one.title, said["page_count"]))
        webhook_events.record_documents_ready(base, told)


def mark_unchanged(document: Document, *, columns: dict[str, Any]) -> None:
    """Mark the document ready after a reading that gave the same text: no new revision is needed."""
    with transaction.atomic():
        base = KnowledgeBase.objects.select_for_update(no_key=True).get(pk=document.knowledge_base_id)
        _lock_current_version(document)
        record_languages(base, document.chunks.live().order_by("index").only("pk", "document_id"))
        _mark_ready(base, document, columns)


def remove_document(document: Document) -> None:
    """Remove the document from the knowledge base. What a release pins stays readable at that release's revision.

    A document that never was ready is deleted without a new revision, except under legal hold. One that is gone already
    stays gone.
    """
    with transaction.atomic():
        base = KnowledgeBase.objects.select_for_update(no_key=True).get(pk=document.knowledge_base_id)
        current = Document.objects.select_for_update().present().filter(pk=document.pk).first()
        if current is None:
            return
        writer.discard_staged(current.pk)
        if current.added_in is None and not plugins_holding(base):
            current.delete()
            return
        release_pins_of_deleted(current)
        revision = base.revision + 1
        removed = writer.close_versions([current.pk], revision=revision)
        Document.objects.filter(pk=current.pk).update(removed_in=revision, updated_at=timezone.now())
        writer.advance_revision(base, removed=removed)


def _lock_current_version(document: Document) -> None:
    """Locks the document's row; raises `Superseded` when this version of it is no longer wanted, and `LeaseLost`."""
    lease.confirm_held()
    version = Document.objects.version(document.pk, sha256=document.sha256, title=document.title)
    if not version.select_for_update().exists():
        raise Superseded


def _lock_new_documents(planned: Sequence[PlannedDocument]) -> dict[UUID, Document]:
    """The locked rows of those that are still to be read as they were, and have nothing yet."""
    asked = {one.document.pk: one.document for one in planned}
    rows = Document.objects.unfinished().new().filter(pk__in=asked).order_by("pk").select_for_update()
    return {row.pk: row for row in rows if (row.sha256, row.title) == (asked[row.pk].sha256, asked[row.pk].title)}


def _mark_ready(base: KnowledgeBase, document: Document, columns: dict[str, Any]) -> None:
    _write_ready(document, columns)
    title, pages = columns.get("title", document.title), columns.get("page_count", document.page_count)
    webhook_events.record_documents_ready(base, [(document, title, pages)])


def _write_ready(document: Document, columns: dict[str, Any]) -> None:
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
