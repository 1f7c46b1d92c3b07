"""Documents that arrive read: their pages, chunks and vectors come with them, and need not be made again.

They go the way of every document: staged first, where no search sees them, then swapped in at once. Where the vectors
are missing, because another embedder made them, the worker computes those alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from knowledge.chunking.chunker import title_path
from knowledge.embedders.base import Embedder
from knowledge.models import Document, DocumentStatus
from knowledge.readers.types import PageText
from knowledge.versions import embeddings, publication, staged_chunks
from knowledge.versions.embeddings import WindowVectors
from knowledge.versions.progress import Progress
from knowledge.versions.staged_chunks import PlannedChunk, content_hash
from knowledge.versions.staged_pages import ParsedSource, stage_new_pages
from knowledge.versions.staging import batched, discard_staged

_IMPORT_BATCH_SIZE = 200


@dataclass(frozen=True, kw_only=True)
class PreparedPage:
    """A page as it was read elsewhere, from the bytes of this hash. Numbers ascend from 1; `words` as in `Page`."""

    number: int
    text: str
    words: list[list[float]] | None
    source_sha256: str


@dataclass(frozen=True, kw_only=True)
class PreparedChunk:
    """A span of the page of this number, in reading order. `windows` is how many vectors it has."""

    page: int
    start: int
    end: int
    section_path: tuple[str, ...]
    windows: int


@dataclass(frozen=True, kw_only=True)
class PreparedDocument:
    """What was made of a document elsewhere.

    `vectors`: for each chunk those of its windows, in the order of the chunks; None where they have to be
    computed here. It is gone through once.
    """

    pages: Sequence[PreparedPage]
    chunks: Sequence[PreparedChunk]
    is_paged: bool
    vectors: Iterable[WindowVectors] | None


def import_prepared(document: Document, arrival: PreparedDocument) -> bool:
    """Let the document answer with what arrived. False where a worker has to embed it first: the caller enqueues it.

    Call inside a transaction. A version that says the same as the one that answers leaves that as it is. Raises
    `Superseded`.
    """
    discard_staged(document.pk)
    reading = _stage_prepared_pages(document, arrival)
    planned = _planned_chunks(document, arrival, reading)
    if staged_chunks.is_unchanged(document, planned, reading):
        discard_staged(document.pk)
        publication.mark_unchanged(document, columns=_ready_columns(reading, chunk_count=len(planned)))
        return True
    staged_chunks.stage_chunks(document, planned, reading, title=document.title)
    if arrival.vectors is None:
        _defer_to_worker(document)
        return False
    _store_vectors(document, arrival.vectors)
    columns = _ready_columns(reading, chunk_count=len(planned))
    publication.publish_version(document, page_ids=reading.page_ids.values(), columns=columns)
    return True


def has_staged_import(document: Document) -> bool:
    """Whether everything but the vectors of this very version is there already."""
    if not document.arrived_sha256 or document.arrived_sha256 != document.sha256:
        return False
    staged = document.chunks.staged()
    return staged.exists() and not staged.exclude(document_title=document.title).exists()


def embed_staged_import(document: Document, *, embedder: Embedder, progress: Progress) -> None:
    """Compute the vectors that are missing, and let the document answer. Raises `EmbedderError`, `Superseded`."""
    staged = document.chunks.staged()
    page_ids = set(staged.values_list("page_id", flat=True)) | set(
        document.pages.staged().values_list("pk", flat=True)
    )
    total = staged.count()
    progress.enter(DocumentStatus.EMBEDDING, chunks_total=total)
    embeddings.embed_staged_chunks(document, embedder=embedder, progress=progress)
    publication.publish_version(document, page_ids=page_ids, columns={"arrived_sha256": "", "chunks_done": total})


def _defer_to_worker(document: Document) -> None:
    reading = {"pages_total": document.pages.staged().count(), "arrived_sha256": document.sha256}
    Document.objects.filter(pk=document.pk).update(status=DocumentStatus.QUEUED, **reading)


def _stage_prepared_pages(document: Document, arrival: PreparedDocument) -> ParsedSource:
    """The rows of the pages: those that answer already where they say the same, new ones for the rest."""
    reading = ParsedSource(title=document.title, is_paged=arrival.is_paged)
    # Without vectors the swap comes later, and then only what is staged now tells which pages belong to the version.
    known = _live_pages_by_key(document) if arrival.vectors is not None else {}
    for batch in batched(arrival.pages, _IMPORT_BATCH_SIZE):
        kept = {page.number: known[key] for page in batch if (key := _page_key(page)) in known}
        new = [(_page_text(page), page.source_sha256) for page in batch if page.number not in kept]
        reading.page_ids |= kept | stage_new_pages(document, new)
        reading.pages += [PageText(number=page.number, text=page.text) for page in batch]
    return reading


def _page_text(page: PreparedPage) -> PageText:
    return PageText(number=page.number, text=page.text, words=[*page.words] if page.words is not None else None)


def _live_pages_by_key(document: Document) -> dict[tuple[int, str, str], int]:
    alive = document.pages.filter(added_in__isnull=False, removed_in=None)
    rows = alive.values_list("number", "text", "source_sha256", "pk")
    return {(number, text, sha256): pk for number, text, sha256, pk in rows}


def _page_key(page: PreparedPage) -> tuple[int, str, str]:
    return page.number, page.text, page.source_sha256


def _planned_chunks(document: Document, arrival: PreparedDocument, reading: ParsedSource) -> list[PlannedChunk]:
    texts = {page.number: page.text for page in arrival.pages}
    return [
        PlannedChunk(
            index=index,
            page_id=reading.page_ids[one.page],
            start=one.start,
            end=one.end,
            section_path=one.section_path,
            content_hash=content_hash(
                title_path(document.title, one.section_path), texts[one.page][one.start : one.end]
            ),
        )
        for index, one in enumerate(arrival.chunks)
    ]


def _store_vectors(document: Document, found: Iterable[WindowVectors]) -> None:
    space, rows = document.knowledge_base.space, zip(document.chunks.staged().order_by("index"), found, strict=True)
    for batch in batched(rows, _IMPORT_BATCH_SIZE):
        embeddings.store_embeddings([chunk for chunk, _ in batch], [windows for _, windows in batch], space=space)


def _ready_columns(reading: ParsedSource, *, chunk_count: int) -> dict[str, Any]:
    pages = len(reading.pages)
    return {
        "page_count": pages if reading.is_paged else None,
        "pages_total": pages,
        "pages_done": pages,
        "chunks_total": chunk_count,
        "chunks_done": chunk_count,
        "arrived_sha256": "",
    }
