"""What a search finds."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, kw_only=True)
class Passage:
    """A chunk that was found. `content` is `page.text[start:end]`; `page_number` is None where the source has no
    pages; `cosine` is None where the question had no vector for the knowledge base; `lexical` is 0 to 1;
    `matches_clause` says that it holds, or stands under, a numbered clause that the question names."""

    chunk_id: int
    document_id: UUID
    document_title: str
    source_type: str
    page_id: int
    page_number: int | None
    section_path: tuple[str, ...]
    start: int
    end: int
    content: str
    cosine: float | None
    lexical: float
    score: float
    knowledge_base_id: int
    matches_clause: bool = False
