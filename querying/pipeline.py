"""The steps of a query, from question to cited answer, as one stream of events.

The stream is the primitive; `answer` is the stream collected. JSON, server-sent events and every other door encode
these same events.
"""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from typing import ParamSpec, TypeVar

from asgiref.sync import sync_to_async

from accounts.quotas import stream_slot
from knowledge.search.passages import Passage
from lexic.database import release_connections
from lexic.errors import LexicError
from lexic.outages import outage_error
from plugins.models import CitationMode, Planner
from querying.answering import document_list, tree_answers
from querying.answering.confidence import confidence_basis
from querying.answering.generate import generate
from querying.answering.guard import refusal_answer
from querying.answering.llms import get_llm
from querying.answering.sufficiency import assess_sufficiency
from querying.answering.tree_answers import UNSUPPORTED
from querying.audit.log import QueryRecord, record_query
from querying.audit.spending import check_spending
from querying.llm_interface import LLM, ProviderFailed
from querying.question import caller_access
from querying.question.ambiguity import clarify_reference
from querying.question.clarifications import with_resume_token
from querying.question.question_language import other_language_notice
from querying.question.resolve import resolve_question
from querying.question.tree_consultation import consult_trees
from querying.retrieval import retriever
from querying.sanitize import sanitize
from querying.types import (
    Answer,
    Clarification,
    Confidence,
    ConfidenceBasis,
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
    """Answer a question, event by event. Always leaves one Query row behind; errors come as `Failed`.

    It stops with `AccessEnded` soon after the caller's key is revoked, or the plugin withdrawn.
    """
    async with record_query(question, llm=llm or get_llm()) as record:
        try:
            async with _admit(record), aclosing(_run_steps(record)) as events:
                checked = time.monotonic()
                async for event in events:
                    if time.monotonic() - checked >= caller_access.CHECK_SECONDS:
                        await _run_in_thread(caller_access.check_access, question)
                        checked = time.monotonic()
                    yield event
        except LexicError as error:
            record.error = error
        except Exception as error:
            logger.exception("query %s failed", question.id)
            record.error = outage_error(error) or InternalError(question)
        if record.error:
            yield Failed.from_error(record.error)


async def answer(question: Question, *, llm: LLM | None = None) -> Done | Failed:
    """The last event of the stream: the whole answer, or the error."""
    last: Event | None = None
    async with aclosing(stream(question, llm=llm)) as events:
        async for event in events:
            last = event
    assert isinstance(last, (Done, Failed))
    return last


@asynccontextmanager
async def _admit(record: QueryRecord) -> AsyncIterator[None]:
    """Holds a place among the questions that are answered at once. Raises `TooManyStreams`, `SpendingCapReached`."""
    question = record.question.asked
    await _run_in_thread(check_spending, question, llm=record.llm)
    if question.caller.is_evaluation:
        yield
        return
    account = str(question.caller.user_id or f"visitors:{question.release.plugin_id}")
    async with stream_slot(account, visitor=question.caller.visitor):
        yield


async def _run_steps(record: QueryRecord) -> AsyncGenerator[Event]:
    """Plan the question, then answer it from the metadata or from the text. `record.question` is the one question."""
    yield Status(step=Step.PLANNING, message="Reading the question")
    if record.question.release.planner != Planner.OFF or record.question.context:
        with record.measure("plan"):
            record.question = await resolve_question(record.question.asked, llm=record.llm)
    if record.question.standalone:
        yield Status(step=Step.PLANNING, message=f"Read as “{sanitize(record.question.standalone)}”")
    planned = record.question.planned
    if planned.clarification:
        yield _clarify(record, planned.clarification, reason="missing_time")
        return
    if planned.filter_summary:
        yield Status(step=Step.PLANNING, message=f"Narrowed to {planned.filter_summary}")
    answer_from = _answer_from_metadata if planned.is_list else _answer_from_passages
    async with aclosing(answer_from(record)) as events:
        async for event in events:
            yield event


async def _answer_from_passages(record: QueryRecord) -> AsyncGenerator[Event]:
    """Search passages, follow the decision tree, and write from the evidence, if there is enough of it."""
    question = record.question
    yield Status(step=Step.SEARCHING, message="Searching the knowledge base")
    with record.measure("retrieve"):
        passages = await _run_in_thread(retriever.retrieve, question)
    yield Status(step=Step.FOUND, message=_found_text(len(passages), "passage"))
    if labelled := await _run_in_thread(document_list.answer_from_labels, question, passages):
        for event in _finish_with_text(record, labelled):
            yield event
        return
    if question.release.trees:
        yield Status(step=Step.TREE, message="Following the decision tree")
    with record.measure("tree"):
        consultation = await consult_trees(question, passages=passages, llm=record.llm)
    record.consultation = consultation
    if consultation.clarification:
        yield _clarify(record, consultation.clarification, reason="missing_fact")
        return
    if not consultation.has_decided and (unclear := clarify_reference(question, passages)):
        yield _clarify(record, unclear, reason="unclear_reference")
        return
    hints = {"source_hint": consultation.source_hint, "decision_text": consultation.decision_text}
    with record.measure("weigh"):
        record.evidence = await _run_in_thread(retriever.build_evidence, question, passages, **hints)
    basis, finished = await _run_in_thread(_answer_without_writing, record, passages)
    if finished:
        for event in _finish_with_text(record, finished):
            yield event
        return
    async with aclosing(_write_answer(record, basis)) as events:
        async for event in events:
            yield event


def _answer_without_writing(record: QueryRecord, passages: Sequence[Passage]) -> tuple[ConfidenceBasis, Answer | None]:
    """How sure the evidence makes an answer; and what needs no writing: the outcomes of a tree's open question, a list
    that the filters make, or the refusal."""
    assert record.evidence is not None
    basis, refusal = _judge_evidence(record)
    if record.consultation.outcomes:
        outcomes = tree_answers.possible_outcomes(record.question, record.consultation, record.evidence)
        return basis, outcomes or refusal
    return basis, refusal and document_list.list_in_place_of(refusal, record.question, passages)


def _judge_evidence(record: QueryRecord) -> tuple[ConfidenceBasis, Answer | None]:
    """How sure the evidence makes an answer; and the refusal, where mandatory mode has too little to answer from."""
    assert record.evidence is not None
    question, release = record.question, record.question.release
    judged = assess_sufficiency(
        question.search_text,
        record.evidence,
        threshold=release.evidence_threshold,
        new_words=question.new_words,
    )
    basis = confidence_basis(judged.grounds, calibration=release.calibration)
    if judged.passes:
        return basis, None
    is_mandatory = release.citation_mode == CitationMode.MANDATORY
    ends_tree = record.consultation.has_decided and (record.llm.is_offline or is_mandatory)
    if not (is_mandatory or ends_tree):
        is_optional = release.citation_mode == CitationMode.OPTIONAL
        return (replace(basis, level=Confidence.LOW) if is_optional else basis), None
    why = (*_language_notice(record), *judged.why)
    refusal = replace(refusal_answer("no_evidence"), why=why, nearest=judged.nearest, basis=basis)
    return basis, tree_answers.unsupported_end(question, record.consultation, refusal) if ends_tree else refusal


def _language_notice(record: QueryRecord) -> tuple[str, ...]:
    """That the documents are in another language than the question, said in the question's."""
    assert record.evidence is not None
    texts = [passage.content for passage in record.evidence.passages]
    notice = other_language_notice(record.question.asked.text, texts or retriever.sample_texts(record.question))
    return (notice,) if notice else ()


async def _write_answer(record: QueryRecord, basis: ConfidenceBasis | None) -> AsyncGenerator[Event]:
    assert record.evidence is not None
    yield Status(step=Step.GENERATING, message="Writing the answer")
    pieces = generate(
        record.question,
        evidence=record.evidence,
        consultation=record.consultation,
        llm=record.llm,
        basis=basis,
    )
    with record.measure("generate"):
        async with aclosing(pieces):
            async for piece in pieces:
                if isinstance(piece, Delta):
                    record.partial_text += piece.text
                    yield piece
                else:
                    finished = piece
    yield Status(step=Step.VERIFYING, message="Verified against the sources")
    yield _finish(record, finished)


async def _answer_from_metadata(record: QueryRecord) -> AsyncGenerator[Event]:
    """List what the metadata alone answers: nothing is embedded. A recap is written by the language model, where there
    is one, from the documents that are listed."""
    question = record.question
    assert question.planned.plan is not None
    yield Status(step=Step.SEARCHING, message="Looking through titles, dates and labels")
    with record.measure("list"):
        listed = await _run_in_thread(document_list.answer_with_list, question, question.planned.plan)
    yield Status(step=Step.FOUND, message=_found_text(len(listed.citations), "document"))
    if question.planned.is_recap and listed.citations and not record.llm.is_offline:
        async with aclosing(_write_recap(record, listed)) as events:
            async for event in events:
                yield event
        return
    for event in _finish_with_text(record, listed):
        yield event


async def _write_recap(record: QueryRecord, listed: Answer) -> AsyncGenerator[Event]:
    """A summary of the listed documents, verified like every answer; the list itself where the model fails, or where
    nothing that it writes can be verified."""
    record.evidence = await _run_in_thread(retriever.recap_evidence, record.question, listed)
    try:
        async with aclosing(_write_answer(record, None)) as events:
            async for event in events:
                if isinstance(event, Done) and event.answer.outcome != Outcome.ANSWERED:
                    break
                yield event
            else:
                return
    except ProviderFailed as error:
        if record.partial_text:
            raise
        logger.warning("the recap of query %s is a list: %s", record.question.id, error.code)
    for event in _finish_with_text(record, listed):
        yield event


def _clarify(record: QueryRecord, missing: Clarification, *, reason: str) -> Done:
    """The question back, with a token that resumes the question as it was asked."""
    asked = with_resume_token(missing, question=record.question.asked)
    return _finish(record, Answer(text=asked.question, outcome=Outcome.CLARIFY, reason=reason, clarification=asked))


def _finish(record: QueryRecord, finished: Answer) -> Done:
    if finished.outcome == Outcome.REFUSED and record.consultation.has_decided and finished.reason != UNSUPPORTED:
        finished = tree_answers.unsupported_end(record.question, record.consultation, finished)
    usage = finished.usage + record.usage_before_answer
    record.answer = replace(finished, decision_path=record.consultation.path, usage=usage)
    return Done(answer=record.answer)


def _finish_with_text(record: QueryRecord, finished: Answer) -> Iterator[Event]:
    """An answer that was made at once: its text, and the end."""
    if finished.outcome == Outcome.ANSWERED:
        record.partial_text = finished.text
        yield Delta(text=finished.text)
        yield Status(step=Step.VERIFYING, message="Verified against the sources")
    yield _finish(record, finished)


def _found_text(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'} found"


async def _run_in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Database and CPU work off the event loop; its connection is free again when it returns."""

    def run() -> T:
        with release_connections():
            return work(*args, **kwargs)

    return await sync_to_async(run)()
