"""An answer as people see it: on a plugin's page, in the public chat, in the sandbox, at once or when opened again.

Every answer is shown from its JSON (`querying.json_format`). It is made from a new answer (`to_stored_answer`) or from
a row of the query log (`stored_from_query`), or a chat or a listing has kept it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.utils.translation import gettext

from accounts.models import User
from knowledge.citation_url import source_path
from language.language_identification import ENGLISH, language_of
from querying.json_format import answer_as_json
from querying.models import Query
from querying.presentation import answer_text
from querying.presentation.answer_text import TextSegment
from querying.presentation.cited_pages import CitedPages, QuotedCitation
from querying.presentation.named_siblings import named_sibling, stored_sibling
from querying.presentation.question_run import QuestionRun, TimedStep, format_duration
from querying.presentation.retrieved_passages import PassagePlace, nearest_passages
from querying.question.answer_language import is_plain_english
from querying.types.answer import Outcome
from querying.types.events import AnswerFailed, Failed


@dataclass(frozen=True, kw_only=True)
class StoredAnswer:
    """A question, and the JSON of its answer. `seconds` is None if it was not measured."""

    question: str
    answer: Mapping[str, Any]
    seconds: float | None = None


@dataclass(frozen=True, kw_only=True)
class AnswerPresentation:
    """What every page shows of an answer.

    `verified_count` counts the citations that are on their page word for word, looked up when this was made.
    `clarification` is `{question, options, field, token}`, or None.
    """

    question: str
    outcome: str
    segments: list[TextSegment]
    evidence: list[QuotedCitation]
    verified_count: int
    decision_path: list[tuple[str, str]]
    has_decided: bool
    confidence: str
    confidence_explanation: str
    reason: str
    refusal_reasons: list[str]
    nearest_passages: list[PassagePlace]
    clarification: Mapping[str, Any] | None
    error: str
    seconds: float | None
    steps: list[TimedStep]

    @property
    def total_duration(self) -> str:
        """How long all steps took together."""
        return format_duration(sum(step.ms for step in self.steps))

    @property
    def text(self) -> str:
        return "".join(segment.text for segment in self.segments if segment.source is None)

    @cached_property
    def language(self) -> str:
        """The code of the language that the text is in; empty where it cannot be told. Where documents are quoted that
        are not in English, single words do not tell that it is: Dutch has "is"."""
        quotes_english = all(one.language == ENGLISH for one in self.evidence)
        return ENGLISH if quotes_english and is_plain_english(self.text) else language_of(self.text)


def referenced_document_ids(answer: Mapping[str, Any]) -> Iterator[str]:
    """The ids of the documents that a stored answer cites or names, or that were read for it as a whole."""
    lists = (answer.get(name) or [] for name in ("citations", "nearest", "readDocuments"))
    return (str(place["documentId"]) for places in lists for place in places if place.get("documentId"))


def to_stored_answer(run: QuestionRun) -> dict[str, Any]:
    """The answer as JSON, from which it can be shown again; for a failed one, the text of the failure."""
    if isinstance(run.last_event, Failed):
        return {"outcome": Outcome.FAILED.value, "error": AnswerFailed(run.last_event).message_with_hint}
    if run.answer is None:
        return {"outcome": Outcome.FAILED.value, "error": gettext("The answer stopped early.")}
    # Who may read the closest sentences of a refusal is looked up when it is shown.
    placed = replace(run.answer, readable_nearest=frozenset())
    said = answer_as_json(placed, question=run.question)
    nearest = [
        {
            **place,
            "start": passage.start,
            "end": passage.end,
            "url": source_path(passage.page_id, start=passage.start, end=passage.end),
        }
        for place, passage in zip(said["nearest"], run.answer.nearest, strict=True)
    ]
    steps = [{"message": step.message, "ms": step.ms} for step in run.steps]
    return {**said, "about": stored_sibling(run.answer.about, run.question), "nearest": nearest, "steps": steps}


def stored_from_query(query: Query) -> StoredAnswer:
    """What the query log keeps of an answer. What was asked back cannot be answered from it, for it has no token."""
    answer = {
        "answer": query.answer,
        "outcome": query.outcome,
        "citations": query.citations,
        "decisionPath": query.decision_path,
        "confidence": query.confidence,
        "confidenceBasis": {"explanation": answer_text.explain_logged_confidence(query)},
        "reason": query.reason,
        "why": [query.error] if query.error else [],
        "error": query.error,
    }
    return StoredAnswer(question=query.question, answer=answer, seconds=query.latency_ms / 1000)


def present_answer(stored: StoredAnswer, *, viewer: User | None) -> AnswerPresentation:
    """One answer for this person, or for anybody (None). Two statements where a page is cited or named."""
    return present_answers([stored], viewer=viewer)[0]


def present_answers(stored: Sequence[StoredAnswer], *, viewer: User | None) -> list[AnswerPresentation]:
    """The answers of a conversation. Two statements, however many there are."""
    pages = CitedPages.load([one.answer for one in stored], viewer=viewer)
    return [_build_presentation(one, pages=pages) for one in stored]


def _build_presentation(stored: StoredAnswer, *, pages: CitedPages) -> AnswerPresentation:
    answer = stored.answer
    citations, path = answer.get("citations") or [], answer.get("decisionPath") or []
    return AnswerPresentation(
        question=stored.question,
        outcome=answer["outcome"],
        segments=answer_text.answer_segments(answer.get("answer", ""), source_count=len(citations)),
        evidence=[pages.quote(number, citation) for number, citation in enumerate(citations, start=1)],
        verified_count=sum(map(pages.has_excerpt, citations)),
        decision_path=answer_text.path_steps(path),
        has_decided=bool(path) and "result" in path[-1] and answer["outcome"] == Outcome.ANSWERED,
        confidence=answer.get("confidence", ""),
        confidence_explanation=(answer.get("confidenceBasis") or {}).get("explanation", ""),
        reason=answer.get("reason") or "",
        refusal_reasons=[*named_sibling(answer.get("about"), pages), *(answer.get("why") or [])],
        nearest_passages=nearest_passages(answer.get("nearest") or [], texts=pages.texts, readable=pages.readable),
        clarification=answer.get("clarification"),
        error=answer.get("error", ""),
        seconds=stored.seconds,
        steps=[TimedStep(message=str(step["message"]), ms=int(step["ms"])) for step in answer.get("steps") or []],
    )
