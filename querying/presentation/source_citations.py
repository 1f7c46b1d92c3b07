"""A passage as a source beside a text: what it is, where it stands, and how near it came; and what a search found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import shorten
from typing import Any, Literal
from urllib.parse import urlencode

from django.urls import reverse

from knowledge.code_location import place_as_json
from knowledge.models import Document
from knowledge.search.passages import Passage
from querying.answering.findings import Findings
from querying.types.answer import Citation, Clarification

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


@dataclass(frozen=True, kw_only=True)
class FoundSources:
    """What a search found, for whoever asked for it: the passages, best first, and the verdicts of the gate and of the
    decision tree. `sources[0]` is what `[Source 1]` means to a writer who is given the findings' passages."""

    sources: list[SourceCitation]
    is_sufficient: bool
    why: tuple[str, ...]
    recommendation: str
    decision_path: tuple[Mapping[str, Any], ...]
    clarification: Clarification | None


def found_sources(findings: Findings) -> FoundSources:
    """One statement, or none where nothing was found."""
    return FoundSources(
        sources=source_citations(findings.passages),
        is_sufficient=findings.is_sufficient,
        why=findings.why,
        recommendation=findings.consultation.recommendation,
        decision_path=findings.consultation.path,
        clarification=findings.clarification,
    )


def cited_sources(citations: Sequence[Citation]) -> list[SourceCitation]:
    """The verified citations of a text as sources, in their order; each is the span that is cited, and its text."""
    spans = [
        replace(one.passage, start=one.start, end=one.end, content=one.excerpt, score=one.score) for one in citations
    ]
    return source_citations(spans)


def source_citations(passages: Sequence[Passage]) -> list[SourceCitation]:
    """The passages as sources, in their order. One statement, or none for none."""
    documents = {passage.document_id for passage in passages}
    rows = Document.objects.filter(pk__in=documents).values_list("pk", "doc_type") if documents else ()
    doc_types = dict(rows)
    return [_source_citation(one, doc_types.get(one.document_id, "")) for one in passages]


def source_type_of(doc_type: str) -> SourceType:
    """What a document with this `doc_type` is as a source."""
    return _SOURCE_TYPES.get(doc_type.strip().lower(), "document")


def _source_citation(passage: Passage, doc_type: str) -> SourceCitation:
    span = {"start": passage.start, "end": passage.end}
    return SourceCitation(
        id=str(passage.document_id),
        type=source_type_of(doc_type),
        title=passage.document_title,
        summary=shorten(passage.content, MAX_SUMMARY_CHARACTERS, placeholder=" …"),
        score=round(passage.score, 4),
        metadata={
            **span,
            "page": passage.page_number,
            **({"pageLabel": passage.page_label} if passage.page_label else {}),
            **({"ocr": True} if passage.is_ocr else {}),
            "pageId": passage.page_id,
            "section": " › ".join(passage.section_path),
            "url": f"{reverse('source', args=[passage.page_id])}?{urlencode(span)}",
            "distance": None if passage.cosine is None else round(1 - passage.cosine, 4),
            "knowledgeBaseId": passage.knowledge_base_id,
            **place_as_json(passage.file_place()),
        },
    )
