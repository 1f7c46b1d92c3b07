"""Keeps search results in a run's journal, so that a process that resumes the run need not search again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import Any
from uuid import UUID

from knowledge.search.passages import Passage
from lexic.database import in_thread
from querying.answering.findings import Findings, apply_gate
from querying.llm_interface import LLM
from querying.question.document_validity import OutOfForce
from querying.question.resolve import ResolvedQuestion
from querying.question.tree_consultation import consult_trees
from querying.retrieval.retriever import build_evidence
from querying.types.answer import Answer, Citation, Clarification, Outcome
from querying.types.confidence import Confidence
from querying.types.question import Question

_DATES = ("superseded_on", "effective_from")
# Fields of a passage that only the search itself needs.
_OF_SEARCH = ("has_validity_dates", "is_verbatim")


@dataclass(frozen=True, kw_only=True)
class JournaledSearch:
    """The passages of a search in their order, and the answer if none had to be written: a clarification or a list."""

    query: str
    passages: tuple[Passage, ...]
    answer: Answer | None = None

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> JournaledSearch:
        passages = tuple(_passage_from_json(one) for one in data["passages"])
        answer = _answer_from_json(data["answer"], passages) if data["answer"] else None
        return cls(query=data["query"], passages=passages, answer=answer)

    async def recall(self, question: Question, *, llm: LLM) -> Findings:
        """The findings, with the verdicts of the trees and of the evidence gate. Raises `EmbedderError`."""
        if self.query.strip() != question.text.strip():
            question = replace(question, text=self.query, context=(), facts={})
        resolved = ResolvedQuestion.of(question)
        if self.answer:
            return Findings(question=resolved, answer=self.answer)
        consultation = await consult_trees(resolved, passages=self.passages, llm=llm)
        hints = {"source_hint": consultation.source_hint, "decision_text": consultation.decision_text}
        evidence = await in_thread(build_evidence, resolved, self.passages, **hints)
        return await in_thread(
            apply_gate, resolved, evidence=evidence, consultation=consultation, passages=self.passages, llm=llm
        )


def found_as_json(findings: Findings, *, call_id: str) -> dict[str, Any]:
    """For `JournaledSearch.from_json`. A refusal is judged again, because further searches may find more."""
    answer = findings.answer
    is_ready = answer is not None and answer.outcome != Outcome.REFUSED
    return {
        "callId": call_id,
        "query": findings.question.asked.text,
        "queryId": str(findings.question.id),
        "passages": [_passage_as_json(one) for one in findings.passages],
        "answer": _answer_as_json(answer, findings.passages) if answer and is_ready else None,
    }


def _passage_as_json(passage: Passage) -> dict[str, Any]:
    dates = {name: value.isoformat() for name in _DATES if (value := getattr(passage, name, None))}
    values = {name: value for name, value in asdict(passage).items() if name not in _OF_SEARCH}
    return {**values, "document_id": str(passage.document_id), **dates}


def _passage_from_json(data: Mapping[str, Any]) -> Passage:
    """The passage; that of a document that is out of force has the dates of its validity."""
    ids = {
        "document_id": UUID(data["document_id"]),
        "section_path": tuple(data["section_path"]),
        "unsure_spans": tuple(tuple(span) for span in data.get("unsure_spans", ())),
    }
    if "is_last_resort" not in data:
        return Passage(**{**data, **ids})
    dates = {name: date.fromisoformat(data[name]) if data[name] else None for name in _DATES}
    return OutOfForce(**{**data, **ids, **dates})


def _answer_as_json(answer: Answer, passages: tuple[Passage, ...]) -> dict[str, Any]:
    cited = [
        {
            "number": one.number,
            "passage": passages.index(one.passage),
            "start": one.start,
            "end": one.end,
            "excerpt": one.excerpt,
            "score": one.score,
        }
        for one in answer.citations
        if one.passage in passages
    ]
    return {
        "text": answer.text,
        "outcome": answer.outcome.value,
        "reason": answer.reason,
        "confidence": answer.confidence.value,
        "citations": cited,
        "clarification": asdict(answer.clarification) if answer.clarification else None,
    }


def _answer_from_json(data: Mapping[str, Any], passages: tuple[Passage, ...]) -> Answer:
    asked = data["clarification"]
    return Answer(
        text=data["text"],
        outcome=Outcome(data["outcome"]),
        reason=data["reason"],
        confidence=Confidence(data["confidence"]),
        citations=tuple(Citation(**{**one, "passage": passages[one["passage"]]}) for one in data["citations"]),
        clarification=Clarification(**{**asked, "options": tuple(asked["options"])}) if asked else None,
    )
