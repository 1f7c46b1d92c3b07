"""The way of a query, from question to cited answer, as one stream of events.

The stream is the primitive; `answer` is the stream collected. JSON, server-sent events and every other door
encode these same events.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from typing import ParamSpec, TypeVar

from asgiref.sync import sync_to_async

from lexic.database import release_connections
from lexic.errors import LexicError
from plugins.models import CitationMode, Planner
from querying.answering import confidence, document_list, guard
from querying.answering.generate import generate
from querying.answering.llms import get_llm
from querying.answering.sufficiency import assess_sufficiency
from querying.audit import log
from querying.llm_interface import LLM
from querying.question import ambiguity, clarifications
from querying.question.planning.planner import PlannedQuestion, plan_question
from querying.question.tree_consultation import consult_trees
from querying.retrieval import retriever
from querying.types import (
    Answer,
    Clarification,
    Confidence,
    Delta,
    Done,
    Event,
    Failed,
    Outcome,
    Question,
    Status,
    Step,
)

logger = logging.getLogger(__name__)
P = ParamSpec("P")
T = TypeVar("T")


class InternalError(LexicError):
    """Something went wrong on our side."""

    code = "internal"

    def __init__(self, question: Question) -> None:
        super().__init__(hint=f"If it happens again, report it with this id: {question.id}")


async def stream(question: Question, *, llm: LLM | None = None) -> AsyncGenerator[Event]:
    """Answer a question, event by event. Always leaves one Query row behind; errors come as `Failed`."""
    llm = llm or get_llm()
    async with log.record_query(question, llm=llm) as record:
        try:
            async with aclosing(_run_steps(question, llm=llm, record=record)) as events:
                async for event in events:
                    yield event
        except LexicError as error:
            record.fail(error)
            yield _failed_event(error)
        except Exception:
            logger.exception("query %s failed", question.id)
            unforeseen = InternalError(question)
            record.fail(unforeseen)
            yield _failed_event(unforeseen)


async def answer(question: Question, *, llm: LLM | None = None) -> Done | Failed:
    """The stream collected: its last event."""
    last: Event | None = None
    async with aclosing(stream(question, llm=llm)) as events:
        async for event in events:
            last = event
    assert isinstance(last, (Done, Failed))
    return last


async def _run_steps(question: Question, *, llm: LLM, record: log.QueryRecord) -> AsyncGenerator[Event]:
    yield Status(step=Step.PLANNING, message="Reading the question")
    if question.release.planner != Planner.OFF:
        with record.timed("plan"):
            record.planned = await plan_question(question, llm=llm)
    if record.planned.clarification:
        yield _done_event(
            record, _clarification_answer(record.planned.clarification, reason="missing_time", question=question)
        )
        return
    if filter_summary := record.planned.filter_summary:
        yield Status(step=Step.PLANNING, message=f"Narrowed to {filter_summary}")
    way = _answer_from_metadata if record.planned.is_list else _answer_from_passages
    async with aclosing(way(record.planned, llm=llm, record=record)) as events:
        async for event in events:
            yield event


async def _answer_from_passages(
    planned: PlannedQuestion, *, llm: LLM, record: log.QueryRecord
) -> AsyncGenerator[Event]:
    """The text answers: passages are searched, weighed, and quoted or written from."""
    question, sought = ambiguity.with_subject(planned.question), ambiguity.with_subject(planned.sought)
    yield Status(step=Step.SEARCHING, message="Searching the knowledge base")
    with record.timed("retrieve"):
        passages = await _run_in_thread(retriever.retrieve, sought)
    yield Status(step=Step.FOUND, message=_found_text(len(passages), "passage"))

    if question.release.trees:
        yield Status(step=Step.TREE, message="Following the decision tree")
    with record.timed("tree"):
        consulted = record.consultation = await consult_trees(question, passages=passages, llm=llm)
    if consulted.clarification:
        yield _done_event(
            record, _clarification_answer(consulted.clarification, reason="missing_fact", question=planned.question)
        )
        return
    if not consulted.decided and (unclear := ambiguity.clarify_reference(planned.question, passages)):
        yield _done_event(
            record, _clarification_answer(unclear, reason="unclear_reference", question=planned.question)
        )
        return

    with record.timed("weigh"):
        if hint := f"{consulted.source_hint} {consulted.decided}".strip():
            passages = await _run_in_thread(retriever.retrieve_with_hint, sought, hint=hint, known=passages)
        evidence = await _run_in_thread(retriever.build_evidence, sought, passages, decided=consulted.decided)
    record.evidence = evidence
    judged = assess_sufficiency(sought.text, evidence, sufficient=question.release.evidence_threshold)
    basis = confidence.confidence_basis(judged.grounds, calibration=question.release.calibration)
    if not judged.passes and question.release.citation_mode == CitationMode.MANDATORY:
        refusal = replace(guard.refusal_answer("no_evidence"), why=judged.why, nearest=judged.nearest, basis=basis)
        yield _done_event(record, refusal)
        return
    if not judged.passes and question.release.citation_mode == CitationMode.OPTIONAL:
        basis = replace(basis, level=Confidence.LOW)

    yield Status(step=Step.GENERATING, message="Writing the answer")
    with record.timed("generate"):
        async with aclosing(
            generate(question, evidence=evidence, consulted=consulted, llm=llm, basis=basis)
        ) as pieces:
            async for piece in pieces:
                if isinstance(piece, Delta):
                    record.partial_text += piece.text
                    yield piece
                else:
                    finished = piece
    yield Status(step=Step.VERIFYING, message="Verified against the sources")
    yield _done_event(record, finished)


async def _answer_from_metadata(
    planned: PlannedQuestion, *, llm: LLM, record: log.QueryRecord
) -> AsyncGenerator[Event]:
    """What the metadata answers by itself: nothing is embedded, and no model is asked."""
    assert planned.plan is not None
    yield Status(step=Step.SEARCHING, message="Looking through titles, dates and labels")
    with record.timed("list"):
        listed = await _run_in_thread(document_list.answer_with_list, planned.question, planned.plan)
    yield Status(step=Step.FOUND, message=_found_text(len(listed.citations), "document"))
    if listed.outcome == Outcome.ANSWERED:
        record.partial_text = listed.text
        yield Delta(text=listed.text)
        yield Status(step=Step.VERIFYING, message="Verified against the sources")
    yield _done_event(record, listed)


def _clarification_answer(missing: Clarification, *, reason: str, question: Question) -> Answer:
    asked = clarifications.with_resume_token(missing, question=question)
    return Answer(text=asked.question, outcome=Outcome.CLARIFY, reason=reason, clarification=asked)


def _done_event(record: log.QueryRecord, finished: Answer) -> Done:
    usage = finished.usage + record.consultation.usage + record.planned.usage
    whole = replace(finished, decision_path=record.consultation.path, usage=usage)
    return Done(answer=record.finish(whole))


def _found_text(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'} found"


def _failed_event(error: LexicError) -> Failed:
    return Failed(error=error.message, code=error.code, hint=error.hint, status=error.status)


async def _run_in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Database and CPU work off the event loop; its connection is free again when it returns."""

    def run() -> T:
        with release_connections():
            return work(*args, **kwargs)

    return await sync_to_async(run)()
