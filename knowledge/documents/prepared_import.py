"""Documents that were read elsewhere: their pages, chunks and vectors come with them and need not be made again.

They are staged first, as every document is, and then published at once. Where the vectors are missing, because another
embedder made them, the worker computes only those.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from django.utils import timezone
from numpy.typing import NDArray

from knowledge.chunking.chunker import ChunkSpan
from knowledge.embedders.base import EmbeddedChunk, Embedder
from knowledge.models import Document, DocumentStatus
from knowledge.readers.types import OcrReading, PageText
from knowledge.recognised_text import ReadBy
from knowledge.versions import embeddings, publish_version, staged_rows, writer
from knowledge.versions.batches import batched
from knowledge.versions.chunk_plan import ParsedSource, RepositoryFile, plan_spans
from knowledge.versions.progress import VersionProgress

_IMPORT_BATCH_SIZE = 200
# Number, text, label, hash of the bytes, file in a repository, and whether it was recognised: pages that agree in these
# say the same.
_PageIdentity = tuple[int, str, str, str, RepositoryFile | None, bool]


@dataclass(frozen=True, kw_only=True)
class PreparedPage:
    """A page as it was read elsewhere, from the bytes of this hash. Numbers ascend from 1; `words` as in `Page`;
    `file`: where that stood in a repository."""

    number: int
    text: str
    words: list[list[float]] | None
    source_sha256: str
    file: RepositoryFile | None = None
    label: str = ""
    ocr: OcrReading | None = None

    @property
    def identity(self) -> _PageIdentity:
        return self.number, self.text, self.label, self.source_sha256, self.file, self.ocr is not None

    def page_text(self) -> PageText:
        """The page as the readers give theirs."""
        words = self.words and [*self.words]
        return PageText(number=self.number, text=self.text, label=self.label, words=words, ocr=self.ocr)


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
    vectors: Iterable[NDArray[np.float16]] | None


def import_prepared(document: Document, prepared: PreparedDocument) -> bool:
    """Publish what was read elsewhere. False where a worker has to embed it first: then the caller enqueues it.

    Call inside a transaction. A version that says the same as the one that answers leaves that as it is. Raises
    `Superseded`.
    """
    writer.discard_staged(document.pk)
    parsed = _stage_prepared_pages(document, prepared)
    spans = [
        ChunkSpan(page_number=one.page, start=one.start, end=one.end, section_path=one.section_path)
        for one in prepared.chunks
    ]
    planned = plan_spans(spans, parsed, title=document.title)
    columns = {**parsed.counters(chunk_count=len(planned)), "arrived_sha256": ""}
    if staged_rows.is_unchanged(document, planned, parsed):
        writer.discard_staged(document.pk)
        publish_version.mark_unchanged(document, columns=columns)
        return True
    staged_rows.stage_chunks(document, planned, parsed, title=document.title)
    if prepared.vectors is None:
        Document.objects.filter(pk=document.pk).update(
            status=DocumentStatus.QUEUED,
            queued_at=timezone.now(),
            pages_total=document.pages.staged().count(),
            arrived_sha256=document.sha256,
        )
        return False
    _stage_vectors(document, prepared.vectors)
    publish_version.publish_version(document, page_ids=parsed.page_ids.values(), columns=columns)
    return True


def has_staged_import(document: Document) -> bool:
    """Whether everything but the vectors of this very version is there already."""
    if not document.arrived_sha256 or document.arrived_sha256 != document.sha256:
        return False
    staged = document.chunks.staged()
    return staged.exists() and not staged.exclude(document_title=document.title).exists()


def embed_staged_import(document: Document, *, embedder: Embedder, progress: VersionProgress) -> None:
    """Compute the vectors that are missing, and let the document answer. Raises `EmbedderError`, `Superseded`."""
    staged = document.chunks.staged()
    page_ids = set(staged.values_list("page_id", flat=True)) | set(document.pages.staged().values_list("pk", flat=True))
    total = staged.count()
    progress.enter_stage(DocumentStatus.EMBEDDING, chunks_total=total)
    embeddings.embed_staged_chunks(document, embedder=embedder, progress=progress)
    publish_version.publish_version(document, page_ids=page_ids, columns={"arrived_sha256": "", "chunks_done": total})


def _stage_prepared_pages(document: Document, prepared: PreparedDocument) -> ParsedSource:
    """The rows of the pages: those that are live already where they say the same, new ones for the rest."""
    parsed = ParsedSource(title=document.title, is_paged=prepared.is_paged)
    # Without vectors the version is published later, and then only what is staged now tells which pages belong to it.
    known = _live_pages(document) if prepared.vectors is not None else {}
    for batch in batched(prepared.pages, _IMPORT_BATCH_SIZE):
        reused = {page.number: known[page.identity] for page in batch if page.identity in known}
        new = [(page.page_text(), page.source_sha256) for page in batch if page.number not in reused]
        files = {page.number: page.file for page in batch if page.file}
        parsed.page_ids |= reused | writer.insert_staged_pages(document, new, files=files)
        parsed.pages += [PageText(number=page.number, text=page.text) for page in batch]
    return parsed


def _live_pages(document: Document) -> dict[_PageIdentity, int]:
    """The keys of the rows that answer now, by what they say."""
    columns = ("number", "text", "label", "source_sha256", "repository_path", "commit", "read_by", "pk")
    found: dict[_PageIdentity, int] = {}
    for number, text, label, sha256, path, commit, read_by, pk in document.pages.live().values_list(*columns):
        file = RepositoryFile(path=path, commit=commit) if path else None
        found[number, text, label, sha256, file, read_by == ReadBy.OCR] = pk
    return found


def _stage_vectors(document: Document, vectors: Iterable[NDArray[np.float16]]) -> None:
    space, rows = (
        document.knowledge_base.space,
        zip(document.chunks.staged().order_by("index"), vectors, strict=True),
    )
    for batch in batched(rows, _IMPORT_BATCH_SIZE):
        embeddings.store_embeddings(
            [chunk for chunk, _ in batch], [EmbeddedChunk(vectors=windows) for _, windows in batch], space=space
        )
