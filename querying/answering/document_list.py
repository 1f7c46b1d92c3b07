"""Lists and recaps out of the metadata alone: which documents there are, newest first, each cited with its first words.

No embedding, no model: a list is complete, or says how many more there are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from uuid import UUID

from django.db.models import F

from knowledge.models import Chunk
from knowledge.search.hybrid import Passage
from language.sentences import sentence_spans
from plugins.models import Release
from querying import releases
from querying.answering.citation_styles import render_footnotes, render_sentence
from querying.answering.guard import refusal_answer
from querying.question.planning.matching_documents import matching_documents
from querying.question.planning.query_plan import QueryPlan, describe_plan
from querying.sanitize import sanitize
from querying.types import Answer, Citation, Confidence, Outcome, Question

NO_DOCUMENT_MATCHES = "no_document_matches"
# So many are listed by name; of more only the number is said.
_MAX_LISTED = 50
_MAX_EXCERPT_CHARACTERS = 300
_HEADINGS = re.compile(r"(?:#{1,6} [^\n]*\n\s*)+")


@dataclass(frozen=True, kw_only=True)
class DocumentListing:
    """`total` is how many documents match, listed or not."""

    total: int
    citations: tuple[Citation, ...]
    dates: tuple[date | None, ...]


def answer_with_list(question: Question, plan: QueryPlan) -> Answer:
    """The list as an answer, or a refusal that says that nothing matches."""
    listed = _list_documents(question, plan)
    if not listed.total:
        return replace(refusal_answer(NO_DOCUMENT_MATCHES), why=(f"No document matches: {describe_plan(plan)}.",))
    style = question.options.citation_style
    lines = [_lead_line(listed, plan), ""]
    for citation, day in zip(listed.citations, listed.dates, strict=True):
        dated = f", {day.day} {day:%B %Y}" if day else ""
        lines.append(f"- {sanitize(citation.passage.document_title)}{dated} [Source {citation.number}]")
    text = render_sentence("\n".join(lines), style=style)
    return Answer(
        text=text + render_footnotes(listed.citations, style=style),
        outcome=Outcome.ANSWERED,
        citations=listed.citations,
        confidence=Confidence.HIGH,
    )


def _list_documents(question: Question, plan: QueryPlan) -> DocumentListing:
    documents = matching_documents(question, plan)
    newest = documents.order_by(F("doc_date").desc(nulls_last=True), "title", "pk")
    shown = list(newest.values_list("pk", "doc_date")[: min(plan.limit, _MAX_LISTED)])
    passages = _first_passages(question.release, [pk for pk, _ in shown])
    found = [(passages[pk], day) for pk, day in shown if pk in passages]
    citations = tuple(_opening_citation(number, passage) for number, (passage, _) in enumerate(found, start=1))
    return DocumentListing(total=documents.count(), citations=citations, dates=tuple(day for _, day in found))


def _first_passages(release: Release, ids: Sequence[UUID]) -> dict[UUID, Passage]:
    """The beginning of each document as the release reads it."""
    found: dict[UUID, Passage] = {}
    for base in releases.pinned_bases(release):
        chunks = Chunk.objects.filter(knowledge_base=base.knowledge_base_id, document__in=ids, index=0)
        for chunk in chunks.alive_at(base.revision).select_related("page", "document"):
            if chunk.page.text[chunk.start : chunk.end] == chunk.content:
                found[chunk.document_id] = _passage_of_chunk(chunk)
    return found


def _passage_of_chunk(chunk: Chunk) -> Passage:
    return Passage(
        chunk_id=chunk.pk,
        document_id=chunk.document_id,
        document_title=chunk.document_title or chunk.document.title,
        source_type=chunk.source_type or chunk.document.source_type,
        page_id=chunk.page_id,
        page_number=chunk.page.number if chunk.is_paged else None,
        section_path=tuple(chunk.section_path),
        start=chunk.start,
        end=chunk.end,
        content=chunk.content,
        cosine=None,
        lexical=0.0,
        score=1.0,
        knowledge_base_id=chunk.knowledge_base_id,
    )


def _opening_citation(number: int, passage: Passage) -> Citation:
    """The first sentences of the passage, without the Markdown headings above them."""
    spans = list(sentence_spans(passage.content)) or [(0, len(passage.content))]
    start = spans[0][0]
    headings = _HEADINGS.match(passage.content, start)
    if headings and headings.end() < len(passage.content):
        start = headings.end()
    ends = [end for _, end in spans if start < end <= start + _MAX_EXCERPT_CHARACTERS]
    end = max(ends, default=min(start + _MAX_EXCERPT_CHARACTERS, len(passage.content)))
    return Citation(
        number=number,
        passage=passage,
        start=passage.start + start,
        end=passage.start + end,
        excerpt=passage.content[start:end],
        score=1.0,
    )


def _lead_line(listed: DocumentListing, plan: QueryPlan) -> str:
    number = f"{listed.total} document{'' if listed.total == 1 else 's'}"
    shown = len(listed.citations)
    first = "the first is" if shown == 1 else f"the first {shown} are"
    more = f"; {first}" if shown < listed.total else ""
    return f"{number} for {describe_plan(plan)}{more}:"
