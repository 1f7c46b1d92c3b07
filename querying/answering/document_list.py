"""Answers from metadata alone: a list of the documents, newest first, each cited with its first words, or a recap that
shows these words.

No embedding and no model is used. A list is complete, or says how many more documents there are.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from textwrap import shorten
from typing import Any
from uuid import UUID

from django.db.models import F, QuerySet

from knowledge.code_location import place_on_page
from knowledge.models import Chunk, Document
from knowledge.search.passages import Passage, spans_of
from language.terms import terms
from language.topic_words import topic_stems, topic_words
from querying import releases
from querying.answering.citation_styles import render_footnotes, render_sentence
from querying.answering.front_matter import asked_values
from querying.answering.guard import refusal_answer
from querying.answering.no_matching_documents import explain_no_match
from querying.question.planning.matching_documents import matching_documents
from querying.question.planning.query_plan import Intent, QueryPlan, describe_plan
from querying.question.resolve import ResolvedQuestion
from querying.sanitize import sanitize
from querying.types.answer import Answer, Citation, Outcome
from querying.types.confidence import Confidence
from querying.types.question import Question
from querying.types.refusals import refusal_text

NO_DOCUMENT_MATCHES = "no_document_matches"
# The most documents that are listed by name; the list says how many more match.
_MAX_LISTED = 50
# A question with more words than this asks for an answer, and not for the documents that contain the words.
_MAX_TOPICS = 2
_MAX_EXCERPT_CHARACTERS, _MAX_SHOWN_CHARACTERS = 300, 200
_HEADINGS = re.compile(r"(?:#{1,6} [^\n]*\n\s*)+")


@dataclass(frozen=True, kw_only=True)
class DocumentListing:
    """`total` is the number of documents that match, listed or not. `values` has the values of front matter, by
    document."""

    total: int
    citations: tuple[Citation, ...]
    dates: tuple[date | None, ...]
    values: Mapping[UUID, str] = field(default_factory=dict)


def answer_with_list(question: Question, plan: QueryPlan) -> Answer:
    """The list as an answer. If the question asks for values in the front matter of its documents, these are the
    answer. If no document matches, a refusal says so."""
    listed = _list_documents(question, matching_documents(question, plan), limit=plan.limit)
    if not listed.total:
        return replace(
            refusal_answer(NO_DOCUMENT_MATCHES, text=refusal_text(question.release)),
            why=explain_no_match(question, plan),
        )
    if labelled := _answer_from_front_matter(question, [one.passage.document_id for one in listed.citations]):
        return labelled
    return _as_answer(question, listed, lead=_lead_line(listed, plan), has_text=plan.intent != Intent.LOOKUP)


def answer_from_labels(question: ResolvedQuestion, passages: Sequence[Passage]) -> Answer | None:
    """The values in the front matter of these passages' documents, if the question asks for them and is planned."""
    if question.planned.plan is None:
        return None
    return _answer_from_front_matter(question, {passage.document_id for passage in passages})


def list_in_place_of(refusal: Answer, question: ResolvedQuestion, passages: Sequence[Passage]) -> Answer:
    """A list in place of a refusal, if the evidence is too weak for an answer and the documents under the filters are
    what the question asks for; otherwise the refusal.

    A recap, and a question that says nothing beyond its filters, get all of them; a question of one or two other words
    gets the documents that contain these. If no document matches, the refusal says so.
    """
    plan = question.planned.plan
    if plan is None or not plan.has_filters or not question.planned.narrows:
        return refusal
    topics = topic_stems(question.search_text) - topic_stems(" ".join(plan.labels))
    documents = matching_documents(question, plan)
    if question.planned.is_recap or not topics or not documents.exists():
        return answer_with_list(question, plan)
    if not passages:
        words = ", ".join(f"“{word}”" for word in topic_words(question.search_text) if topics & set(terms(word)))
        return replace(refusal, why=(f"No passage mentions {words} within {describe_plan(plan)}.",))
    said = _stems_by_document(passages)
    documents = documents.filter(pk__in=[pk for pk, stems in said.items() if topics <= stems])
    listed = _list_documents(question, documents, limit=plan.limit)
    if len(topics) > _MAX_TOPICS or not listed.total:
        return refusal
    found = _as_answer(question, listed, lead=_lead_line(listed, plan), has_text=True)
    return replace(found, confidence=Confidence.MEDIUM)


def _answer_from_front_matter(question: Question, ids: Collection[UUID]) -> Answer | None:
    values = asked_values(question, ids)
    if not values:
        return None
    listed = _list_documents(question, Document.objects.filter(pk__in=values), limit=_MAX_LISTED)
    return _as_answer(question, replace(listed, values=values)) if listed.citations else None


def _stems_by_document(passages: Sequence[Passage]) -> dict[UUID, set[str]]:
    said = defaultdict[UUID, set[str]](set)
    for passage in passages:
        said[passage.document_id] |= {*terms(passage.document_title), *terms(passage.content)}
    return said


def _list_documents(question: Question, documents: QuerySet[Document], *, limit: int) -> DocumentListing:
    newest = documents.order_by(F("doc_date").desc(nulls_last=True), "title", "pk")
    shown = list(newest.values_list("pk", "doc_date")[: min(limit, _MAX_LISTED)])
    passages = _first_passages(question, [pk for pk, _ in shown])
    found = [(passages[pk], day) for pk, day in shown if pk in passages]
    citations = tuple(_opening_citation(number, passage) for number, (passage, _) in enumerate(found, start=1))
    return DocumentListing(total=documents.count(), citations=citations, dates=tuple(day for _, day in found))


def _as_answer(question: Question, listed: DocumentListing, *, lead: str = "", has_text: bool = False) -> Answer:
    style = question.options.citation_style
    lines = [
        _document_line(citation, day, listed, has_text=has_text)
        for citation, day in zip(listed.citations, listed.dates, strict=True)
    ]
    text = render_sentence("\n".join([*([lead, ""] if lead else []), *lines]), style=style)
    return Answer(
        text=text + render_footnotes(listed.citations, style=style),
        outcome=Outcome.ANSWERED,
        citations=listed.citations,
        confidence=Confidence.HIGH,
    )


def _document_line(citation: Citation, day: date | None, listed: DocumentListing, *, has_text: bool) -> str:
    title = sanitize(citation.passage.document_title)
    dated = f", {day.day} {day:%B %Y}" if day else ""
    said = listed.values.get(citation.passage.document_id, "")
    text = f": {said}" if said else f": {_shown_excerpt(citation.excerpt)}" if has_text else ""
    return f"- {title}{dated}{text} [Source {citation.number}]"


def _shown_excerpt(excerpt: str) -> str:
    """The first words on one line, in quotation marks."""
    text = shorten(sanitize(excerpt), _MAX_SHOWN_CHARACTERS, placeholder=" …")
    return f"“{text}”"


def _first_passages(question: Question, ids: Sequence[UUID]) -> dict[UUID, Passage]:
    """The beginning of each document, at the revisions that the question reads."""
    found: dict[UUID, Passage] = {}
    for base in releases.bases_of(question):
        chunks = Chunk.objects.filter(knowledge_base=base.knowledge_base_id, document__in=ids, index=0)
        for chunk in chunks.alive_at(base.revision).select_related("page", "document"):
            if chunk.page.text[chunk.start : chunk.end] == chunk.content:
                found[chunk.document_id] = passage_of_chunk(chunk)
    return found


def passage_of_chunk(chunk: Chunk) -> Passage:
    """The chunk with its page and document, in the form of a search result."""
    return Passage(
        chunk_id=chunk.pk,
        document_id=chunk.document_id,
        document_title=chunk.document_title or chunk.document.title,
        source_type=chunk.source_type or chunk.document.source_type,
        page_id=chunk.page_id,
        page_number=chunk.page.number if chunk.is_paged else None,
        page_label=chunk.page.label,
        is_ocr=chunk.page.is_ocr,
        unsure_spans=spans_of(chunk.page.unsure_spans),
        section_path=tuple(chunk.section_path),
        start=chunk.start,
        end=chunk.end,
        content=chunk.content,
        cosine=None,
        lexical=0.0,
        score=1.0,
        knowledge_base_id=chunk.knowledge_base_id,
        **_file_fields(chunk),
    )


def _file_fields(chunk: Chunk) -> dict[str, Any]:
    place = place_on_page(chunk.page, start=chunk.start, end=chunk.end)
    if place is None:
        return {}
    return {
        "path": place.path,
        "first_line": place.start_line,
        "file_hash": place.file_hash,
        "commit": place.commit,
    }


def _opening_citation(number: int, passage: Passage) -> Citation:
    """The first sentences of the passage, without the Markdown headings above them."""
    spans = passage.sentence_spans() or [(0, len(passage.content))]
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
