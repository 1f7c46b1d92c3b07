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

from knowledge import chunks, events, files, lease, lexicon, vectors
from knowledge.chunking import title_path
from knowledge.chunks import PlannedChunk
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
from knowledge.pages import Reading
from knowledge.readers.markdown import find_headings
from knowledge.readers.types import PageText
from knowledge.staging import batched
from knowledge.sync.note import Note
from knowledge.sync.plan import Change, Plan, columns_of

NOTES_AT_ONCE = 200
_ROWS_AT_ONCE = 2000
_NO_PAGE_YET = 0
_PARTS = (Embedding, ChunkTerms, Chunk, Page)

# Called with how many notes are done, and how many there are.
OnProgress = Callable[[int, int], None]
Vectors = dict[bytes, Any]  # the windows' vectors of a chunk, by its content hash


@dataclass(frozen=True, kw_only=True)
class _Made:
    """A change with its document as it will be, and how it is cut. `chunks` is None where the text stays."""

    change: Change
    document: Document
    chunks: Sequence[PlannedChunk] | None


@dataclass(kw_only=True)
class _Batch:
    made: list[_Made]
    vectors: Vectors = field(default_factory=dict)
    removed: list[Document] = field(default_factory=list)

    @property
    def texts(self) -> list[_Made]:
        return [one for one in self.made if one.chunks is not None]


def apply(
    source: Source, found: Plan, *, embedder: Callable[[], Embedder], on_progress: OnProgress | None = None
) -> int:
    """Carry the plan out, for a source that is saved. Returns how many texts were embedded.

    `embedder` is only asked for when there is something to embed. Raises `WrongDimensions`, `EmbedderChanged` and
    `EmbedderError`; what
    was written by then stays, and is right.
    """
    _close(found.closing)
    embedded = 0
    removed = [item.document for item in found.removed if item.document and item.document.removed_in is None]
    todo = [change for change in found.changes if change.kind != "same" or _is_news(change)]
    for number, batch in enumerate([*batched(todo, NOTES_AT_ONCE)] or [[]]):
        prepared = _Batch(made=[_made(source.knowledge_base, one) for one in batch])
        prepared.removed = removed if number == 0 else []
        embedded += _prepare(source.knowledge_base, prepared, embedder)
        _write(source, found, prepared, is_first=number == 0)
        if on_progress:
            on_progress(min(len(todo), (number + 1) * NOTES_AT_ONCE), len(todo))
    return embedded


def _close(documents: Collection[Document]) -> None:
    """At once and in every release: answers go by how a document is marked now."""
    ids = [document.pk for document in documents]
    Document.objects.filter(pk__in=ids).update(is_public=False, updated_at=timezone.now())


def _is_news(change: Change) -> bool:
    """Whether the manifest does not know yet what it should."""
    item = change.item
    return not item or (item.sha256, item.stored_sha256, item.links, item.problems) != _seen(change)


def _seen(change: Change) -> tuple[str, str, Any, Any]:
    problems = [problem.as_dict() for problem in change.note.problems]
    return change.note.sha256, change.stored_sha256, dict(change.links), problems


# --- Before anything is written -------------------------------------------------------------------------------


def _made(base: KnowledgeBase, change: Change) -> _Made:
    document = change.document or Document(knowledge_base=base, source_type=SourceType.MARKDOWN)
    document.knowledge_base = base
    for name, value in columns_of(change.note).items():
        setattr(document, name, value)
    return _Made(change=change, document=document, chunks=None)


def _prepare(base: KnowledgeBase, batch: _Batch, embedder: Callable[[], Embedder]) -> int:
    """Cut and embed what has a new text. Vectors of texts that were embedded before are taken from there."""
    if not any(one.change.kind in ("added", "changed") for one in batch.made):
        return 0
    maker = embedder()
    batch.made = [_cut(one, maker) for one in batch.made]
    texts = _texts(batch.texts)
    batch.vectors = _known_vectors(base, texts)
    missing = {digest: text for digest, text in texts.items() if digest not in batch.vectors}
    made = vectors.windows_of([*missing.values()], embedder=maker)
    batch.vectors |= dict(zip(missing, made, strict=True))
    vectors.agree_on_dimensions(base, maker.dimensions)
    return len(missing)


def _cut(one: _Made, embedder: Embedder) -> _Made:
    if one.change.kind not in ("added", "changed"):
        return one
    text, document = one.change.text, one.document
    reading = Reading(
        pages=[PageText(number=1, text=text)], page_ids={1: _NO_PAGE_YET}, headings=find_headings(text)
    )
    planned = chunks.plan_chunks(document, reading, title=document.title, embedder=embedder)
    stored = files.store(io.BytesIO(one.change.stored), max_bytes=settings.LEXIC_MAX_DOCUMENT_BYTES)
    _mark_ready(document, sha256=stored.sha256, chunk_count=len(planned))
    return _Made(change=one.change, document=document, chunks=planned)


def _mark_ready(document: Document, *, sha256: str, chunk_count: int) -> None:
    document.sha256 = document.ready_sha256 = sha256
    document.source_type = document.ready_source_type = SourceType.MARKDOWN
    document.ready_file_name = document.file_name
    document.status, document.error, document.error_code = DocumentStatus.READY, "", ""
    document.arrived_sha256, document.expected_at, document.page_count = "", None, None
    document.pages_total = document.pages_done = 1
    document.chunks_total = document.chunks_done = chunk_count


def _texts(made: Sequence[_Made]) -> dict[bytes, tuple[str, str]]:
    """Title path and content of every chunk, by its hash."""
    return {
        chunk.content_hash: (
            title_path(one.document.title, chunk.section_path),
            one.change.text[chunk.start : chunk.end],
        )
        for one in made
        for chunk in one.chunks or ()
    }


def _known_vectors(base: KnowledgeBase, texts: Collection[bytes]) -> Vectors:
    """Of any chunk of this knowledge base, alive or dead, with one of these hashes."""
    rows = Chunk.objects.filter(knowledge_base=base, content_hash__in=list(texts))
    embedded = rows.filter(Exists(Embedding.objects.filter(chunk=OuterRef("pk"), space=base.space)))
    donors = embedded.order_by("content_hash", "pk").distinct("content_hash").values_list("pk", "content_hash")
    hashes = {pk: bytes(digest) for pk, digest in donors}
    known: Vectors = {}
    windows = Embedding.objects.filter(chunk__in=hashes.keys(), space=base.space).order_by("chunk", "window")
    for chunk_id, vector in windows.values_list("chunk_id", "vector"):
        known.setdefault(hashes[chunk_id], []).append(vector)
    return known


# --- One transaction ------------------------------------------------------------------------------------------


@transaction.atomic
def _write(source: Source, found: Plan, batch: _Batch, *, is_first: bool) -> None:
    base = source.knowledge_base
    lease.one_at_a_time(f"add:{base.pk}")
    locked = KnowledgeBase.objects.select_for_update().get(pk=base.pk)
    vectors.check_space(locked, base)
    if is_first:
        _note_the_rest(source, found)
    _make_room(found, batch)
    if batch.texts or batch.removed:
        locked.revision += 1
        _replace(locked, batch)
        locked.save(update_fields=["revision"])
        base.revision = locked.revision
    _describe(batch)
    _note(source, batch.made)


def _make_room(found: Plan, batch: _Batch) -> None:
    """Two notes may have changed places: the hash that one gets is still on the other, which is written later."""
    leaving = {change.document.pk for change in found.changes if change.document and change.kind == "changed"}
    wanted = [one.document.sha256 for one in batch.texts]
    Document.objects.filter(pk__in=leaving, sha256__in=wanted).update(sha256="")


def _replace(base: KnowledgeBase, batch: _Batch) -> None:
    texts, revision = batch.texts, base.revision
    removed_ids = [document.pk for document in batch.removed]
    closed = _close_versions([one.document.pk for one in texts] + removed_ids, revision=revision)
    Document.objects.filter(pk__in=removed_ids, added_in=None).delete()
    Document.objects.filter(pk__in=removed_ids).update(removed_in=revision, updated_at=timezone.now())
    _save_documents(texts, revision=revision)
    opened = _open_versions(base, texts, batch.vectors)
    lexicon.record_revision(base, revision=revision, added=opened, removed=closed)
    for one in texts:
        events.document_ready(one.document, title=one.document.title, page_count=None)


def _close_versions(document_ids: Sequence[UUID], *, revision: int) -> list[int]:
    """What answers leaves; what some unfinished reading has staged is of no use any more."""
    for model in _PARTS:
        model.objects.filter(document__in=document_ids, added_in=None).delete()
    alive = Chunk.objects.filter(document__in=document_ids, removed_in=None)
    closed = list(alive.values_list("pk", flat=True))
    for model in _PARTS:
        model.objects.filter(document__in=document_ids, removed_in=None).update(removed_in=revision)
    return closed


def _save_documents(made: Sequence[_Made], *, revision: int) -> None:
    for one in made:
        one.document.added_in = one.document.added_in or revision
    Document.objects.bulk_create([one.document for one in made if one.change.document is None])
    for one in made:
        if one.change.document is not None:
            one.document.save()


def _open_versions(base: KnowledgeBase, made: Sequence[_Made], found: Vectors) -> list[int]:
    pages = Page.objects.bulk_create(_page(one, base.revision) for one in made)
    rows = [
        _chunk(base, one, page, planned)
        for one, page in zip(made, pages, strict=True)
        for planned in one.chunks or ()
    ]
    Chunk.objects.bulk_create(rows, batch_size=_ROWS_AT_ONCE)
    lexicon.write_terms(base.pk, [_words(row) for row in rows])
    ids = [one.document.pk for one in made]
    ChunkTerms.objects.filter(document__in=ids, added_in=None).update(added_in=base.revision)
    vectors.store(rows, [found[bytes(row.content_hash)] for row in rows], space=base.space)
    return [row.pk for row in rows]


def _page(one: _Made, revision: int) -> Page:
    document = one.document
    return Page(document=document, number=1, text=one.change.text, source_sha256=document.sha256, added_in=revision)


def _chunk(base: KnowledgeBase, one: _Made, page: Page, planned: PlannedChunk) -> Chunk:
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


def _words(row: Chunk) -> tuple[int, UUID, str]:
    return row.pk, row.document_id, f"{title_path(row.document_title, row.section_path)}\n{row.content}"


def _describe(batch: _Batch) -> None:
    """Columns alone: nothing is read and nothing embedded."""
    for one in batch.made:
        if one.change.kind == "described":
            said = columns_of(one.change.note)
            columns = {**said, "ready_file_name": said["file_name"], "updated_at": timezone.now()}
            Document.objects.filter(pk=one.document.pk).update(**columns)


# --- The manifest ---------------------------------------------------------------------------------------------


def _note(source: Source, made: Sequence[_Made]) -> None:
    for one in made:
        sha256, stored_sha256, links, problems = _seen(one.change)
        item = one.change.item or SourceItem(source=source)
        item.path, item.document, item.synced_at = one.change.note.path, one.document, timezone.now()
        item.sha256, item.stored_sha256, item.links, item.problems = sha256, stored_sha256, links, problems
        item.save()


def _note_the_rest(source: Source, found: Plan) -> None:
    """The rows of what is gone, left out, or could not be read."""
    left_out = {note.path for note, _ in found.left_out}
    gone = [item.pk for item in found.removed if item.path not in left_out and item.pk]
    SourceItem.objects.filter(pk__in=gone).delete()
    for note, _ in found.left_out:
        _note_one(source, found, note, document=None)
    for note in found.broken:
        item = found.items.get(note.path)
        _note_one(source, found, note, document=item.document if item else None)


def _note_one(source: Source, found: Plan, note: Note, *, document: Document | None) -> None:
    item = found.items.get(note.path) or SourceItem(source=source)
    item.path, item.document, item.sha256 = note.path, document, note.sha256
    item.problems = [problem.as_dict() for problem in note.problems]
    item.synced_at = timezone.now()
    item.save()
