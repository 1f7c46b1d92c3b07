"""Lists and recaps out of the metadata alone: which documents there are, newest first, each cited with its first words.

No embedding, no model: a list is complete, or says how many more there are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from uuid import UUID

from django.db.models import F, Q, QuerySet
from django.utils import timezone

from knowledge.filters import Filters
from knowledge.models import Chunk, Document
from knowledge.search import Passage
from knowledge.sentences import sentence_spans
from plugins.models import Release
from querying import audience, releases
from querying.guard import refuse
from querying.plain import plain
from querying.plan.types import Plan, TimeRange
from querying.render import render_footnotes, render_sentence
from querying.types import Answer, Citation, Confidence, Outcome, Question

NOTHING = "no_document_matches"
# So many are listed by name; of more only the number is said.
_MOST_LISTED = 50
_LONGEST_EXCERPT = 300
_HEADINGS = re.compile(r"(?:#{1,6} [^\n]*\n\s*)+")


@dataclass(frozen=True, kw_only=True)
class Listed:
    """`total`: how many documents match, listed or not."""

    total: int
    citations: tuple[Citation, ...]
    dates: tuple[date | None, ...]


def matching(question: Question, plan: Plan) -> QuerySet[Document]:
    """The documents that the caller's filters, the plan, and what the asker may read all allow; in force today, unless
    a day was asked for."""
    filters = plan.narrowed(question.options.filters or Filters())
    if filters.as_of is None and not filters.statuses:
        filters = replace(filters, as_of=timezone.localdate())
    narrowed = audience.within(filters, audience.allowed(question)) or Filters()
    return of_release(narrowed.documents(), question.release)


def of_release(documents: QuerySet[Document], release: Release) -> QuerySet[Document]:
    """Those of these documents that the release reads."""
    is_read = Q(pk=None)
    for base in releases.bases_of(release):
        chunks = Chunk.objects.filter(knowledge_base=base.knowledge_base_id, index=0).alive_at(base.revision)
        is_read |= Q(pk__in=chunks.order_by().values("document"))
    return documents.filter(is_read)


def answer(question: Question, plan: Plan) -> Answer:
    """The list as an answer, or a refusal that says that nothing matches."""
    listed = _listed(question, plan)
    if not listed.total:
        return replace(refuse(NOTHING), why=(f"No document matches: {described(plan)}.",))
    style = question.options.citation_style
    lines = [_line(citation, day) for citation, day in zip(listed.citations, listed.dates, strict=True)]
    text = render_sentence("\n".join([_lead(listed, plan), "", *lines]), style=style)
    return Answer(
        text=text + render_footnotes(listed.citations, style=style),
        outcome=Outcome.ANSWERED,
        citations=listed.citations,
        confidence=Confidence.HIGH,
    )


def described(plan: Plan) -> str:
    """What a plan keeps to, in words: "procurement, 1 January 2016 to 31 December 2016"."""
    labels = [*plan.doc_types, *([plan.project] if plan.project else []), *plan.statuses, *plan.tags]
    said = ", ".join(plain(label) for label in labels)
    return (
        ", ".join(part for part in (said, _time(plan.time_range) if plan.time_range else "") if part)
        or "everything"
    )


def _listed(question: Question, plan: Plan) -> Listed:
    documents = matching(question, plan)
    newest = documents.order_by(F("doc_date").desc(nulls_last=True), "title", "pk")
    shown = list(newest.values_list("pk", "doc_date")[: min(plan.limit, _MOST_LISTED)])
    passages = _first_passages(question.release, [pk for pk, _ in shown])
    found = [(passages[pk], day) for pk, day in shown if pk in passages]
    citations = tuple(_citation(number, passage) for number, (passage, _) in enumerate(found, start=1))
    return Listed(total=documents.count(), citations=citations, dates=tuple(day for _, day in found))


def _first_passages(release: Release, ids: Sequence[UUID]) -> dict[UUID, Passage]:
    """The beginning of each document as the release reads it."""
    found: dict[UUID, Passage] = {}
    for base in releases.bases_of(release):
        chunks = Chunk.objects.filter(knowledge_base=base.knowledge_base_id, document__in=ids, index=0)
        for chunk in chunks.alive_at(base.revision).select_related("page", "document"):
            if chunk.page.text[chunk.start : chunk.end] == chunk.content:
                found[chunk.document_id] = _passage(chunk)
    return found


def _passage(chunk: Chunk) -> Passage:
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


def _citation(number: int, passage: Passage) -> Citation:
    """The first sentences of the passage, as much as one looks at."""
    spans = list(sentence_spans(passage.content)) or [(0, len(passage.content))]
    start = _after_headings(passage.content, spans[0][0])
    ends = [end for _, end in spans if start < end <= start + _LONGEST_EXCERPT]
    end = max(ends, default=min(start + _LONGEST_EXCERPT, len(passage.content)))
    return Citation(
        number=number,
        passage=passage,
        start=passage.start + start,
        end=passage.start + end,
        excerpt=passage.content[start:end],
        score=1.0,
    )


def _after_headings(text: str, start: int) -> int:
    """Where the words begin under the Markdown headings that the text begins with; `start` where there are none."""
    headings = _HEADINGS.match(text, start)
    return headings.end() if headings and headings.end() < len(text) else start


def _lead(listed: Listed, plan: Plan) -> str:
    number = f"{listed.total} document{'' if listed.total == 1 else 's'}"
    shown = len(listed.citations)
    first = "the first is" if shown == 1 else f"the first {shown} are"
    more = f"; {first}" if shown < listed.total else ""
    return f"{number} for {described(plan)}{more}:"


def _line(citation: Citation, day: date | None) -> str:
    dated = f", {day.day} {day:%B %Y}" if day else ""
    return f"- {plain(citation.passage.document_title)}{dated} [Source {citation.number}]"


def _time(days: TimeRange) -> str:
    first, last = (day and f"{day.day} {day:%B %Y}" for day in (days.start, days.end))
    if first and last:
        return first if first == last else f"{first} to {last}"
    return f"since {first}" if first else f"until {last}"
