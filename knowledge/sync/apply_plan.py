"""A plan is carried out: what must not be read any more is closed first, then the rest is written batch by batch.

A batch is one transaction and one revision, with its rows of the manifest. Whoever is interrupted has done whole
batches, and the next sync plans what is left. Everything is embedded before the transaction begins.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from knowledge import lease, webhook_events
from knowledge.chunking.chunker import title_path
from knowledge.documents import file_store
from knowledge.embedders.base import Embedder
from knowledge.models import (
    Chunk,
    ChunkTerms,
    Document,
    DocumentStatus,
    Embedding,
    KnowledgeBase,
    Page,
    Source,
    SourceItem,
    SourceType,
)
from knowledge.readers.markdown import find_headings
from knowledge.readers.types import PageText
from knowledge.search import term_statistics
from knowledge.sync.notes.parse_note import Note
from knowledge.sync.plan import NoteChange, SyncPlan, note_columns
from knowledge.versions import embeddings, staged_chunks
from knowledge.versions.staged_chunks import PlannedChunk
from knowledge.versions.staged_pages import ParsedSource
from knowledge.versions.staging import batched

NOTES_PER_BATCH = 200
_INSERT_BATCH_SIZE = 2000
_PAGE_ID_PLACEHOLDER = 0
_REVISIONED_MODELS = (Embedding, ChunkTerms, Chunk, Page)

# Called with how many notes are done, and how many there are.
OnProgress = Callable[[int, int], None]
VectorsByHash = dict[bytes, Any]  # the windows' vectors of a chunk, by its content hash


@dataclass(frozen=True, kw_only=True)
class _PlannedDocument:
    """A change with its document as it will be, and how it is cut. `chunks` is None where the text stays."""

    change: NoteChange
    document: Document
    chunks: Sequence[PlannedChunk] | None


@dataclass(kw_only=True)
class _Batch:
    made: list[_PlannedDocument]
    vectors: VectorsByHash = field(default_factory=dict)
    removed: list[Document] = field(default_factory=list)

    @property
    def texts(self) -> list[_PlannedDocument]:
        return [one for one in self.made if one.chunks is not None]


def apply_plan(
    source: Source, found: SyncPlan, *, embedder: Callable[[], Embedder], on_progress: OnProgress | None = None
) -> int:
    """Carry the plan out, for a source that is saved. Returns how many texts were embedded.

    `embedder` is only asked for when there is something to embed. Raises `WrongDimensions`, `EmbedderChanged` and
    `EmbedderError`; what
    was written by then stays, and is right.
    """
    _unpublish_documents(found.closing)
    embedded = 0
    removed = [item.document for item in found.removed if item.document and item.document.removed_in is None]
    todo = [change for change in found.changes if change.kind != "same" or _differs_from_manifest(change)]
    for number, batch in enumerate([*batched(todo, NOTES_PER_BATCH)] or [[]]):
        prepared = _Batch(made=[_planned_document(source.knowledge_base, one) for one in batch])
        prepared.removed = removed if number == 0 else []
        embedded += _chunk_and_embed(source.knowledge_base, prepared, embedder)
        _write_batch(source, found, prepared, is_first=number == 0)
        if on_progress:
            on_progress(min(len(todo), (number + 1) * NOTES_PER_BATCH), len(todo))
    return embedded


def _unpublish_documents(documents: Collection[Document]) -> None:
    """At once and in every release: answers go by how a document is marked now."""
    ids = [document.pk for document in documents]
    Document.objects.filter(pk__in=ids).update(is_public=False, updated_at=timezone.now())


def _differs_from_manifest(change: NoteChange) -> bool:
    """Whether the manifest does not know yet what it should."""
    item = change.item
    return not item or (item.sha256, item.stored_sha256, item.links, item.problems) != _manifest_values(change)


def _manifest_values(change: NoteChange) -> tuple[str, str, Any, Any]:
    problems = [problem.as_dict() for problem in change.note.problems]
    return change.note.sha256, change.stored_sha256, dict(change.links), problems


# --- Before anything is written -------------------------------------------------------------------------------


def _planned_document(base: KnowledgeBase, change: NoteChange) -> _PlannedDocument:
    document = change.document or Document(knowledge_base=base, source_type=SourceType.MARKDOWN)
    document.knowledge_base = base
    for name, value in note_columns(change.note).items():
        setattr(document, name, value)
    return _PlannedDocument(change=change, document=document, chunks=None)


def _chunk_and_embed(base: KnowledgeBase, batch: _Batch, embedder: Callable[[], Embedder]) -> int:
    """Cut and embed what has a new text. Vectors of texts that were embedded before are taken from there."""
    if not any(one.change.kind in ("added", "changed") for one in batch.made):
        return 0
    maker = embedder()
    batch.made = [_chunk_note(one, maker) for one in batch.made]
    texts = _chunk_texts_by_hash(batch.texts)
    batch.vectors = _known_vectors(base, texts)
    missing = {digest: text for digest, text in texts.items() if digest not in batch.vectors}
    made = embeddings.embed_windows([*missing.values()], embedder=maker)
    batch.vectors |= dict(zip(missing, made, strict=True))
    embeddings.ensure_dimensions(base, maker.dimensions)
    return len(missing)


def _chunk_note(one: _PlannedDocument, embedder: Embedder) -> _PlannedDocument:
    if one.change.kind not in ("added", "changed"):
        return one
    text, document = one.change.text, one.document
    reading = ParsedSource(
        pages=[PageText(number=1, text=text)], page_ids={1: _PAGE_ID_PLACEHOLDER}, headings=find_headings(text)
    )
    planned = staged_chunks.plan_chunks(document, reading, title=document.title, embedder=embedder)
    stored = file_store.store_file(io.BytesIO(one.change.stored), max_bytes=settings.LEXIC_MAX_DOCUMENT_BYTES)
    _set_ready_columns(document, sha256=stored.sha256, chunk_count=len(planned))
    return _PlannedDocument(change=one.change, document=document, chunks=planned)


def _set_ready_columns(document: Document, *, sha256: str, chunk_count: int) -> None:
    document.sha256 = document.ready_sha256 = sha256
    document.source_type = document.ready_source_type = SourceType.MARKDOWN
    document.ready_file_name = document.file_name
    document.status, document.error, document.error_code = DocumentStatus.READY, "", ""
    document.arrived_sha256, document.expected_at, document.page_count = "", None, None
    document.pages_total = document.pages_done = 1
    document.chunks_total = document.chunks_done = chunk_count


def _chunk_texts_by_hash(made: Sequence[_PlannedDocument]) -> dict[bytes, tuple[str, str]]:
    """Title path and content of every chunk, by its hash."""
    return {
        chunk.content_hash: (
            title_path(one.document.title, chunk.section_path),
            one.change.text[chunk.start : chunk.end],
        )
        for one in made
        for chunk in one.chunks or ()
    }


def _known_vectors(base: KnowledgeBase, texts: Collection[bytes]) -> VectorsByHash:
    """Of any chunk of this knowledge base, alive or dead, with one of these hashes."""
    rows = Chunk.objects.filter(knowledge_base=base, content_hash__in=list(texts))
    embedded = rows.filter(Exists(Embedding.objects.filter(chunk=OuterRef("pk"), space=base.space)))
    donors = embedded.order_by("content_hash", "pk").distinct("content_hash").values_list("pk", "content_hash")
    hashes = {pk: bytes(digest) for pk, digest in donors}
    known: VectorsByHash = {}
    windows = Embedding.objects.filter(chunk__in=hashes.keys(), space=base.space).order_by("chunk", "window")
    for chunk_id, vector in windows.values_list("chunk_id", "vector"):
        known.setdefault(hashes[chunk_id], []).append(vector)
    return known


# --- One transaction ------------------------------------------------------------------------------------------


@transaction.atomic
def _write_batch(source: Source, found: SyncPlan, batch: _Batch, *, is_first: bool) -> None:
    base = source.knowledge_base
    lease.lock_in_transaction(f"add:{base.pk}")
    locked = KnowledgeBase.objects.select_for_update().get(pk=base.pk)
    embeddings.check_same_space(locked, base)
    if is_first:
        _record_other_items(source, found)
    _release_hashes(found, batch)
    if batch.texts or batch.removed:
        locked.revision += 1
        _replace_versions(locked, batch)
        locked.save(update_fields=["revision"])
        base.revision = locked.revision
    _update_descriptions(batch)
    _record_items(source, batch.made)


def _release_hashes(found: SyncPlan, batch: _Batch) -> None:
    """Two notes may have changed places: the hash that one gets is still on the other, which is written later."""
    leaving = {change.document.pk for change in found.changes if change.document and change.kind == "changed"}
    wanted = [one.document.sha256 for one in batch.texts]
    Document.objects.filter(pk__in=leaving, sha256__in=wanted).update(sha256="")


def _replace_versions(base: KnowledgeBase, batch: _Batch) -> None:
    texts, revision = batch.texts, base.revision
    removed_ids = [document.pk for document in batch.removed]
    closed = _close_versions([one.document.pk for one in texts] + removed_ids, revision=revision)
    Document.objects.filter(pk__in=removed_ids, added_in=None).delete()
    Document.objects.filter(pk__in=removed_ids).update(removed_in=revision, updated_at=timezone.now())
    _save_documents(texts, revision=revision)
    opened = _open_versions(base, texts, batch.vectors)
    term_statistics.record_revision_statistics(base, revision=revision, added=opened, removed=closed)
    for one in texts:
        webhook_events.record_document_ready(one.document, title=one.document.title, page_count=None)


def _close_versions(document_ids: Sequence[UUID], *, revision: int) -> list[int]:
    """What answers leaves; what some unfinished reading has staged is of no use any more."""
    for model in _REVISIONED_MODELS:
        model.objects.filter(document__in=document_ids, added_in=None).delete()
    alive = Chunk.objects.filter(document__in=document_ids, removed_in=None)
    closed = list(alive.values_list("pk", flat=True))
    for model in _REVISIONED_MODELS:
        model.objects.filter(document__in=document_ids, removed_in=None).update(removed_in=revision)
    return closed


def _save_documents(made: Sequence[_PlannedDocument], *, revision: int) -> None:
    for one in made:
        one.document.added_in = one.document.added_in or revision
    Document.objects.bulk_create([one.document for one in made if one.change.document is None])
    for one in made:
        if one.change.document is not None:
            one.document.save()


def _open_versions(base: KnowledgeBase, made: Sequence[_PlannedDocument], found: VectorsByHash) -> list[int]:
    pages = Page.objects.bulk_create(_page_row(one, base.revision) for one in made)
    rows = [
        _chunk_row(base, one, page, planned)
        for one, page in zip(made, pages, strict=True)
        for planned in one.chunks or ()
    ]
    Chunk.objects.bulk_create(rows, batch_size=_INSERT_BATCH_SIZE)
    term_statistics.stage_chunk_terms(base.pk, [_chunk_term_row(row) for row in rows])
    ids = [one.document.pk for one in made]
    ChunkTerms.objects.filter(document__in=ids, added_in=None).update(added_in=base.revision)
    embeddings.store_embeddings(rows, [found[bytes(row.content_hash)] for row in rows], space=base.space)
    return [row.pk for row in rows]


def _page_row(one: _PlannedDocument, revision: int) -> Page:
    document = one.document
    return Page(document=document, number=1, text=one.change.text, source_sha256=document.sha256, added_in=revision)


def _chunk_row(base: KnowledgeBase, one: _PlannedDocument, page: Page, planned: PlannedChunk) -> Chunk:
    return Chunk(
        knowledge_base=base,
        document=one.document,
        page=page,
        index=planned.index,
        start=planned.start,
        end=planned.end,
        section_path=list(planned.section_path),
        content=one.change.text[planned.start : planned.end],
        document_title=one.document.title,
        source_type=SourceType.MARKDOWN,
        is_paged=False,
        content_hash=planned.content_hash,
        added_in=base.revision,
    )


def _chunk_term_row(row: Chunk) -> tuple[int, UUID, str]:
    return row.pk, row.document_id, f"{title_path(row.document_title, row.section_path)}\n{row.content}"


def _update_descriptions(batch: _Batch) -> None:
    """Columns alone: nothing is read and nothing embedded."""
    for one in batch.made:
        if one.change.kind == "described":
            said = note_columns(one.change.note)
            columns = {**said, "ready_file_name": said["file_name"], "updated_at": timezone.now()}
            Document.objects.filter(pk=one.document.pk).update(**columns)


# --- The manifest ---------------------------------------------------------------------------------------------


def _record_items(source: Source, made: Sequence[_PlannedDocument]) -> None:
    for one in made:
        sha256, stored_sha256, links, problems = _manifest_values(one.change)
        item = one.change.item or SourceItem(source=source)
        item.path, item.document, item.synced_at = one.change.note.path, one.document, timezone.now()
        item.sha256, item.stored_sha256, item.links, item.problems = sha256, stored_sha256, links, problems
        item.save()


def _record_other_items(source: Source, found: SyncPlan) -> None:
    """The rows of what is gone, left out, or could not be read."""
    left_out = {note.path for note, _ in found.left_out}
    gone = [item.pk for item in found.removed if item.path not in left_out and item.pk]
    SourceItem.objects.filter(pk__in=gone).delete()
    for note, _ in found.left_out:
        _record_item(source, found, note, document=None)
    for note in found.broken:
        item = found.items.get(note.path)
        _record_item(source, found, note, document=item.document if item else None)


def _record_item(source: Source, found: SyncPlan, note: Note, *, document: Document | None) -> None:
    item = found.items.get(note.path) or SourceItem(source=source)
    item.path, item.document, item.sha256 = note.path, document, note.sha256
    item.problems = [problem.as_dict() for problem in note.problems]
    item.synced_at = timezone.now()
    item.save()
