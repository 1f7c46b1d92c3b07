"""The result of reading a source, and how it is cut into chunks. Nothing is written here."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from knowledge.chunking.chunker import ChunkSpan, chunk_pages
from knowledge.chunking.title_path import title_path
from knowledge.embedders.base import Embedder
from knowledge.models import Chunk, Document
from knowledge.readers.text_cleaning import clean_text, one_line
from knowledge.readers.types import Heading, PageText
from lexic.column_length import column_length
from plugins.models import ChunkStrategy

MAX_SECTION_LENGTH = column_length(Chunk, "section_path")
TOKEN_CHUNK_SIZE, TOKEN_CHUNK_OVERLAP = 512, 64
_MAX_SECTION_DEPTH = 8
_PAGE_ID_PLACEHOLDER = 0
_NOT_LINE_END = re.compile(r"[^\n]")


@dataclass(kw_only=True)
class ParsedSource:
    """The content of a source. The pages here carry no word boxes: those went straight into the database."""

    title: str = ""
    is_paged: bool = False
    page_total: int | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    pages: list[PageText] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    page_ids: dict[int, int] = field(default_factory=dict)  # row by page number

    def counters(self, *, chunk_count: int) -> dict[str, int | None]:
        """The columns of a document that has been read to the end."""
        pages = len(self.pages)
        return {
            "page_count": pages if self.is_paged else None,
            "pages_total": pages,
            "pages_done": pages,
            "chunks_total": chunk_count,
            "chunks_done": chunk_count,
        }


@dataclass(frozen=True, kw_only=True)
class PlannedChunk:
    """A chunk as it should be. Two that are equal are the same chunk."""

    index: int
    page_id: int
    start: int
    end: int
    section_path: tuple[str, ...]
    content_hash: bytes


@dataclass(frozen=True, kw_only=True)
class RepositoryFile:
    """Where the file of a page was in its repository, and the commit that was checked out; empty without git."""

    path: str
    commit: str = ""


@dataclass(frozen=True, kw_only=True)
class PlannedText:
    """A document that is one page of text, and its chunks. The page has no row yet."""

    document: Document
    text: str
    chunks: Sequence[PlannedChunk]
    file: RepositoryFile | None = None

    def chunk_texts(self) -> Iterator[tuple[bytes, tuple[str, str]]]:
        """For each chunk its content hash, and what is embedded: title path and content."""
        for chunk in self.chunks:
            path = title_path(self.document.title, chunk.section_path)
            yield chunk.content_hash, (path, self.text[chunk.start : chunk.end])


@dataclass(frozen=True, kw_only=True)
class PlannedDocument:
    """A document as it was read under this title, and its chunks. Its pages have no rows yet: `page_ids` of the reading
    and `page_id` of a chunk are numbers of pages."""

    document: Document
    title: str
    reading: ParsedSource
    chunks: Sequence[PlannedChunk]

    def chunk_texts(self) -> Iterator[tuple[bytes, tuple[str, str]]]:
        """As those of `PlannedText`."""
        texts = {page.number: page.text for page in self.reading.pages}
        for chunk in self.chunks:
            path = title_path(self.title, chunk.section_path)
            yield chunk.content_hash, (path, texts[chunk.page_id][chunk.start : chunk.end])


def plan_chunks(document: Document, parsed: ParsedSource, *, title: str, embedder: Embedder) -> list[PlannedChunk]:
    """How the document is to be cut, as its plugin wants it (the plugin that owns the knowledge base)."""
    spans = [span for span in _chunk_spans(document, parsed, embedder) if span.start < span.end]
    return plan_spans(spans, parsed, title=title)


def plan_text(
    document: Document,
    text: str,
    *,
    headings: Sequence[Heading] = (),
    searched: Sequence[tuple[int, int]] | None = None,
    embedder: Embedder,
) -> PlannedText:
    """Cut a document that is one page of text; of `searched` spans, nothing beside them. Notes on the document how many
    pages and chunks it has."""
    page = PageText(number=1, text=text)
    parsed = ParsedSource(pages=[page], page_ids={1: _PAGE_ID_PLACEHOLDER}, headings=list(headings))
    if searched is None:
        chunks = plan_chunks(document, parsed, title=document.title, embedder=embedder)
    else:
        shown = replace(parsed, pages=[PageText(number=1, text=_only_spans(text, searched))])
        spans = _within(_chunk_spans(document, shown, embedder), text, searched)
        chunks = plan_spans(spans, parsed, title=document.title)
    for name, value in parsed.counters(chunk_count=len(chunks)).items():
        setattr(document, name, value)
    return PlannedText(document=document, text=text, chunks=chunks)


def _only_spans(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text with spaces in place of all that lies outside of the spans. Lines and offsets stay."""
    kept, at = [], 0
    for start, end in [*sorted(spans), (len(text), len(text))]:
        kept += [_NOT_LINE_END.sub(" ", text[at:start]), text[start:end]]
        at = max(at, end)
    return "".join(kept)


def _within(spans: Iterable[ChunkSpan], text: str, searched: Sequence[tuple[int, int]]) -> Iterator[ChunkSpan]:
    """The spans, those cut in two that reach over a gap between what is searched."""
    for span in spans:
        for begin, end in sorted(searched):
            start, stop = max(span.start, begin), min(span.end, end)
            words = text[start:stop].strip()
            if words and (start, stop) != (span.start, span.end):
                start = text.index(words, start)
                stop = start + len(words)
            if words:
                yield replace(span, start=start, end=stop)


def plan_spans(spans: Iterable[ChunkSpan], parsed: ParsedSource, *, title: str) -> list[PlannedChunk]:
    """The chunks of a document of this title for spans of its pages, given in reading order."""
    texts = {page.number: page.text for page in parsed.pages}
    planned = []
    for index, span in enumerate(spans):
        section_path = tuple(section[:MAX_SECTION_LENGTH] for section in span.section_path)
        content = texts[span.page_number][span.start : span.end]
        planned.append(
            PlannedChunk(
                index=index,
                page_id=parsed.page_ids[span.page_number],
                start=span.start,
                end=span.end,
                section_path=section_path,
                content_hash=_content_hash(title_path(title, section_path), content),
            )
        )
    return planned


def _chunk_spans(document: Document, parsed: ParsedSource, embedder: Embedder) -> list[ChunkSpan]:
    spans, above = _cut(document, parsed, embedder), _section_of(document)
    return [replace(span, section_path=(*above, *span.section_path)) for span in spans] if above else spans


def _section_of(document: Document) -> tuple[str, ...]:
    """Under which headings the document stands where it comes from, outermost first: its metadata `section`, a list or
    one text with “ > ” between them."""
    said = document.metadata.get("section")
    steps = said.split(" > ") if isinstance(said, str) else said if isinstance(said, list) else []
    cleaned = (one_line(clean_text(step)) for step in steps[:_MAX_SECTION_DEPTH] if isinstance(step, str))
    return tuple(step for step in cleaned if step)


def _cut(document: Document, parsed: ParsedSource, embedder: Embedder) -> list[ChunkSpan]:
    plugin = document.knowledge_base.plugin
    if plugin and plugin.chunk_strategy == ChunkStrategy.TOKENS:
        return chunk_pages(
            parsed.pages,
            parsed.headings,
            strategy="tokens",
            size=TOKEN_CHUNK_SIZE,
            overlap=TOKEN_CHUNK_OVERLAP,
            count_tokens=embedder.count_tokens,
        )
    size = plugin.chunk_size if plugin else 1500
    return chunk_pages(parsed.pages, parsed.headings, size=size, overlap=size * 2 // 15)


def _content_hash(path: str, content: str) -> bytes:
    """Names what is embedded: equal hashes have equal vectors (within one knowledge base)."""
    return hashlib.sha256(f"{path}\n{content}".encode()).digest()
