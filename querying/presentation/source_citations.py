"""A passage as a source beside a text: what it is, where it stands, and how near it came."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import Any, Literal
from urllib.parse import urlencode

from django.urls import reverse

from knowledge.models import Document
from knowledge.search.passages import Passage

MAX_SUMMARY_CHARACTERS = 300
SourceType = Literal["law", "judgment", "document"]
# What `Document.doc_type` says of the first two; any other document is a document.
_SOURCE_TYPES: dict[str, SourceType] = {"law": "law", "judgment": "judgment"}


@dataclass(frozen=True, kw_only=True)
class SourceCitation:
    """`id` is the document's. `metadata` says which span of which page it is."""

    id: str
    type: SourceType
    title: str
    summary: str
    score: float
    metadata: dict[str, Any]


def source_citations(passages: Sequence[Passage]) -> list[SourceCitation]:
    """The passages as sources, in their order. One statement, or none for none."""
    documents = {passage.document_id for passage in passages}
    rows = Document.objects.filter(pk__in=documents).values_list("pk", "doc_type") if documents else ()
    doc_types = dict(rows)
    return [_source_citation(one, doc_types.get(one.document_id, "")) for one in passages]


def _source_citation(passage: Passage, doc_type: str) -> SourceCitation:
    span = {"start": passage.start, "end": passage.end}
    return SourceCitation(
        id=str(passage.document_id),
        type=_SOURCE_TYPES.get(doc_type.strip().lower(), "document"),
        title=passage.document_title,
        summary=shorten(passage.content, MAX_SUMMARY_CHARACTERS, placeholder=" …"),
        score=round(passage.score, 4),
        metadata={
            **span,
            "page": passage.page_number,
            "section": " › ".join(passage.section_path),
            "url": f"{reverse('source', args=[passage.page_id])}?{urlencode(span)}",
            "distance": None if passage.cosine is None else round(1 - passage.cosine, 4),
            "knowledgeBaseId": passage.knowledge_base_id,
        },
    )
