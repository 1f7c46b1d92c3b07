"""Passages as retrieval would return them, made by hand."""

from __future__ import annotations

import uuid
from typing import Any

from knowledge.search.passages import Passage
from querying.types.evidence import Evidence, Sentence

HANDBOOK = uuid.UUID(int=1)


def passage(content: str, *, number: int = 1, **fields: Any) -> Passage:
    values: dict[str, Any] = {
        "chunk_id": number,
        "document_id": HANDBOOK,
        "document_title": "Cover handbook",
        "source_type": "pdf",
        "page_id": 100 + number,
        "page_number": number,
        "section_path": ("3 Cover",),
        "start": 10 * number,
        "end": 10 * number + len(content),
        "content": content,
        "cosine": 0.6,
        "lexical": 0.6,
        "score": 0.6,
        "knowledge_base_id": 1,
    }
    return Passage(**{**values, **fields})


def evidence(*passages: Passage) -> Evidence:
    """Every passage is one sentence; earlier ones answer better."""
    sentences = tuple(
        Sentence(source=index, start=0, end=len(p.content), text=p.content, score=0.9 - index / 100)
        for index, p in enumerate(passages)
    )
    return Evidence(passages=passages, sentences=sentences, strength=0.9)
