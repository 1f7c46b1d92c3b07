"""The steps of a query, from question to cited answer, as one stream of events.

The stream is the primitive; `answer` is the stream collected. JSON, server-sent events and every other interface encode
these same events. It has two halves, which others use one by one: `retrieve_evidence`, up to the gate, and
`generate_answer`.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial

from knowledge.search.passages import Passage
from lexic.concurrency import Place
from lexic.database import in_thread
from lexic.errors import LexicError
from lexic.infrastructure_errors import outage_error
from lexic.phrases import counted_phrase, phrase
from plugins.models import Planner, PluginKind
from querying.admission import admit
from querying.answering import document_list, import_dependencies, tree_answers
from querying.answering.courtesy_reply import courtesy_reply
from querying.answering.findings import Findings, apply_gate
from querying.answering.generate import generate, recap_or_list
from querying.answering.llms import get_llm
from querying.answering.near_excerpts import with_readable_nearest
from querying.answering.structured.fill_fields import empty_fields, fill_fields
from querying.answering.structured.structured_answer import structured_answer
from querying.answering.tree_answers import UNSUPPORTED
from querying.llm_interface import LLM
from querying.query_log.record_query import QueryRecord, record_query
from querying.query_log.spending import check_spending
from querying.question import caller_access
from querying.question.ambiguity import clarify_reference
from querying.question.answer_language import answer_language, event_in_language, is_plain_english, said_in_language
from querying.question.clarifications import with_resume_token
from querying.question.consultation import Consultation
from querying.question.courtesies import may_be_courtesy
from querying.question.fact_wording import options_of_unsaid_words
from querying.question.misspellings import describe_misspellings, find_misspellings
from querying.question.resolve import ResolvedQuestion, resolve_question
from querying.retrieval import retriever
from querying.sanitize import sanitize
from querying.types.answer import Answer, Clarification, Outcome
from querying.types.events import Delta, Done, Event, Failed, Status, Step
from querying.types.question import Question

logger = logging.getLogger(__name__)


class QueryFailed(LexicError):
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
            async with _admit(record) as place, aclosing(_run_steps(record, place)) as events:
                checked = time.monotonic()
                async for event in events:
                    if time.monotonic() - checked >= caller_access.CHECK_SECONDS:
                        await in_thread(caller_access.check_access, question)
                        checked = time.monotonic()
                    if isinstance(event, Done) and event.answer.nearest:
                        nearest = partial(with_readable_nearest, question=question)
                        event = replace(event, answer=await in_thread(nearest, event.answer))
                    yield event_in_language(event, record.language)
        except Exception as error:
            record.error = as_lexic_error(error, question)
        if record.error:
            yield event_in_language(Failed.from_error(record.error), record.language)


async def answer(question: Question, *, llm: LLM | None = None) -> Done | Failed:
    """The last event of the stream: the whole answer, or the error."""
    last: Event | None = None
    async with aclosing(stream(question, llm=llm)) as events:
        async for event in events:
            last = event
    assert isinstance(last, (Done, Failed))
    return last


@asynccontextmanager
async def _admit(record: QueryRecord) -> AsyncIterator[Place]:
    """A place among the questions that are answered at once. Raises `TooManyStreams`, `SpendingCapReached`,
    `Overloaded`."""
    question = record.question.asked
    tell = partial(_language_if_affordable, question, llm=record.llm)
    # With no cap to look at and no model to load there is nothing to do on a thread.
    is_quick = record.llm.is_offline and is_plain_english(question.text)
    record.language = tell() if is_quick else await in_thread(tell)
    async with admit(question) as place:
        record.waited = lambda: place.waited_seconds
        try:
            yield place
        finally:
            if waited := round(1000 * place.waited_seconds):
                record.timings["wait"] = waited


def _language_if_affordable(question: Question, *, llm: LLM) -> str:
    """The language of the answer, told on the thread that looks at the caps. Raises `SpendingCapReached`."""
    check_spending(question, llm=llm)
    return answer_language(question)


async def retrieve_evidence(question: Question, *, llm: LLM | None = None) -> Findings:
    """What answers the question, up to the gate: nothing is written. Leaves one Query row behind, as `stream` does.

    Raises the `LexicError` that `stream` gives as `Failed`; `AccessEnded` where the caller may not ask any more.
    """
    async with record_query(question, llm=llm or get_llm()) as record:
        try:
            async with _admit(record) as place, aclosing(_plan_and_find(record, place)) as events:
                async for _ in events:
                    pass
            await in_thread(caller_access.check_access, question)
        except Exception as error:
            record.error = as_lexic_error(error, question)
            raise record.error from error
        assert record.findings is not None
        if record.findings.answer:
            _finish(record, record.findings.answer)
        record.has_ended = True
        return record.findings.in_language(record.language)


async def search_each(question: Question, texts: Sequence[str], *, llm: LLM | None = None) -> list[list[Passage]]:
    """The passages that this question's release has on each of the texts, such as statements that are to be held
    against its documents. Leaves one Query row behind, with the words of the question and not those of the texts.

    Raises what `retrieve_evidence` raises.
    """
    found: list[list[Passage]] = []
    async with record_query(question, llm=llm or get_llm()) as record:
        try:
            async with _admit(record) as place:
                for text in texts:
                    with record.measure("retrieve"):
                        found.append(await place.run(retriever.retrieve_for_text, question, text))
            await in_thread(caller_access.check_access, question)
        except Exception as error:
            record.error = as_lexic_error(error, question)
            raise record.error from error
        record.has_ended = True
    return found


async def generate_answer(
    findings: Findings, *, llm: LLM | None = None, language: str = ""
) -> AsyncGenerator[Delta | Answer]:
    """The answer to what was found: what may be shown of it, as it is verified, and at the end the whole. `language` is
    that of the answer, where it is known. No row is written. Raises `ProviderFailed`."""
    llm, ready = llm or get_llm(), findings.answer
    if ready and not _needs_writing(findings, llm):
        if ready.outcome == Outcome.ANSWERED:
            yield Delta(text=ready.text, citations=ready.citations)
        yield ready
        return
    assert findings.evidence is not None
    written = generate(
        findings.question,
        evidence=findings.evidence,
        consultation=findings.consultation,
        llm=llm,
        basis=findings.basis,
    )
    pieces = recap_or_list(written, ready, findings.question) if ready else written
    language = language or await asyncio.to_thread(answer_language, findings.question.asked)
    async with aclosing(pieces):
        async for piece in pieces:
            yield said_in_language(piece, language)


async def _run_steps(record: QueryRecord, place: Place) -> AsyncGenerator[Event]:
    """Find what answers the question, then write the answer."""
    async with aclosing(_plan_and_find(record, place)) as events:
        async for event in events:
            yield event
    write_it = _fill_schema(record, place) if record.question.schema else _write_answer(record)
    async with aclosing(write_it) as events:
        async for event in events:
            yield event


async def _plan_and_find(record: QueryRecord, place: Place) -> AsyncGenerator[Event]:
    """Plan the question, then look in the metadata or in the text, up to the gate: `record.findings`. What is done on
    threads is done in the turn of this place."""
    yield Status(step=Step.PLANNING, message=phrase("Reading the question"))
    if place.must_wait() and (ahead := place.count_ahead()):
        waiting = counted_phrase(
            "Waiting for %(count)s question asked before", "Waiting for %(count)s questions asked before", count=ahead
        )
        yield Status(step=Step.PLANNING, message=waiting)
    asked = record.question.asked
    if may_be_courtesy(asked.text) and (courtesy := await place.run(courtesy_reply, asked)):
        _set_answer(record, courtesy)
        return
    if record.question.release.planner != Planner.OFF or record.question.context:
        with record.measure("plan"), place.as_current():
            record.question = await resolve_question(record.question.asked, llm=record.llm)
    if record.question.standalone:
        yield Status(
            step=Step.PLANNING, message=phrase("Read as “%(text)s”", text=sanitize(record.question.standalone))
        )
    planned = record.question.planned
    if planned.clarification:
        _set_answer(record, _clarification(record, planned.clarification, reason="missing_time"))
        return
    if planned.filter_summary:
        yield Status(step=Step.PLANNING, message=phrase("Narrowed to %(filters)s", filters=planned.filter_summary))
    find_in = _find_in_metadata if planned.is_list else _find_passages
    async with aclosing(find_in(record, place)) as events:
        async for event in events:
            yield event


async def _find_passages(record: QueryRecord, place: Place) -> AsyncGenerator[Event]:
    """Search passages, follow the decision tree, and judge whether there is enough to write from."""
    yield Status(step=Step.SEARCHING, message=phrase("Searching the knowledge base"))
    found = await place.run(_search, record)
    if found.imports:
        _set_answer(record, found.imports)
        return
    if found.misspellings:
        record.question = record.question.with_misspellings(found.misspellings)
        yield Status(step=Step.SEARCHING, message=describe_misspellings(found.misspellings))
        found = await place.run(_search_passages, record)
    question, passages = record.question, found.passages
    yield Status(
        step=Step.FOUND,
        message=counted_phrase("%(count)s passage found", "%(count)s passages found", count=len(passages)),
    )
    if found.labelled:
        _set_answer(record, found.labelled)
        return
    if question.release.trees:
        yield Status(step=Step.TREE, message=phrase("Following the decision tree"))
    with record.measure("tree"), place.as_current():
        consultation = await _consult_trees(question, passages, record.llm)
    record.consultation = consultation
    if consultation.clarification:
        _set_answer(record, _missing_fact(record, consultation.clarification))
        return
    if not consultation.has_decided and (unclear := clarify_reference(question, passages)):
        _set_answer(record, _clarification(record, unclear, reason="unclear_reference"))
        return
    await place.run(_weigh, record, passages)
    answer = record.findings.answer if record.findings else None
    if consultation.left_to_documents and answer and answer.outcome == Outcome.REFUSED:
        _return_to_tree(record, consultation.left_to_documents)


@dataclass(frozen=True, kw_only=True)
class _Found:
    """What a search found: the `imports` alone, or `misspellings` that the question is to be searched without, or else
    the passages, and what the labels of their documents say by themselves."""

    imports: Answer | None = None
    misspellings: Mapping[str, str] = field(default_factory=dict)
    passages: Sequence[Passage] = ()
    labelled: Answer | None = None


def _search(record: QueryRecord) -> _Found:
    """All in one turn: to come to a thread and back takes longer than some of these steps."""
    question = record.question
    if imports := import_dependencies.answer_from_imports(question):
        return _Found(imports=imports)
    if misspelt := find_misspellings(question.search_text, question=question, statistics=question.statistics):
        return _Found(misspellings=misspelt)
    return _search_passages(record)


def _search_passages(record: QueryRecord) -> _Found:
    with record.measure("retrieve"):
        passages = retriever.retrieve(record.question)
    return _Found(passages=passages, labelled=document_list.answer_from_labels(record.question, passages))


def _weigh(record: QueryRecord, passages: Sequence[Passage]) -> None:
    """Sets the evidence of the passages, and what the gate says of it."""
    consultation = record.consultation
    question = record.question = _with_fact_options(record.question, consultation, passages)
    hints = {"source_hint": consultation.source_hint, "decision_text": consultation.decision_text}
    with record.measure("weigh"):
        evidence = record.evidence = retriever.build_evidence(question, passages, **hints)
    record.findings = apply_gate(
        question, evidence=evidence, consultation=consultation, passages=passages, llm=record.llm
    )


def _return_to_tree(record: QueryRecord, consultation: Consultation) -> None:
    """A tree was left alone for the documents, which do not answer: it asks."""
    assert consultation.clarification is not None
    record.consultation = consultation
    _set_answer(record, _missing_fact(record, consultation.clarification))


def _with_fact_options(
    question: ResolvedQuestion, consultation: Consultation, passages: Sequence[Passage]
) -> ResolvedQuestion:
    """Words that stated a fact of a tree need not stand on the page behind its end: its author has said what they
    mean."""
    if not consultation.options_by_words:
        return question
    texts = (passage.titled_content for passage in passages)
    return question.with_fact_options(options_of_unsaid_words(consultation.options_by_words, texts))


async def _consult_trees(question: Question, passages: Sequence[Passage], llm: LLM) -> Consultation:
    if not question.release.trees:
        return Consultation()
    from querying.question.tree_consultation import consult_trees  # slow import

    return await consult_trees(question, passages=passages, llm=llm)


async def _find_in_metadata(record: QueryRecord, place: Place) -> AsyncGenerator[Event]:
    """List what the metadata alone answers: nothing is embedded. For a recap the listed documents are read as well,
    where there is a language model to write it."""
    question = record.question
    assert question.planned.plan is not None
    yield Status(step=Step.SEARCHING, message=phrase("Looking through titles, dates and labels"))
    with record.measure("list"):
        listed = await place.run(document_list.answer_with_list, question, question.planned.plan)
    found = counted_phrase("%(count)s document found", "%(count)s documents found", count=len(listed.citations))
    yield Status(step=Step.FOUND, message=found)
    if question.planned.is_recap and listed.citations and not record.llm.is_offline:
        record.evidence = await place.run(retriever.recap_evidence, question, listed)
    _set_answer(record, listed)


async def _fill_schema(record: QueryRecord, place: Place) -> AsyncGenerator[Event]:
    """Fill the caller's schema from what is cited. Nothing is in it where a fact is missing first."""
    findings, schema = record.findings, record.question.schema
    assert findings is not None
    assert schema is not None
    yield Status(step=Step.GENERATING, message=phrase("Filling the fields"))
    with record.measure("fill"):
        if findings.clarification:
            filled = empty_fields(schema)
        else:
            filled = await fill_fields(findings, schema, place=place)
    answer = structured_answer(filled, findings)
    if filled.value is not None:
        record.partial_text = answer.text
        yield Delta(text=answer.text)
        yield Status(step=Step.VERIFYING, message=phrase("Verified against the sources"))
    yield Done(answer=_finish(record, answer))


async def _write_answer(record: QueryRecord) -> AsyncGenerator[Event]:
    findings = record.findings
    assert findings is not None
    needs_writing = _needs_writing(findings, record.llm)
    if needs_writing:
        yield Status(step=Step.GENERATING, message=phrase("Writing the answer"))
    with record.measure("generate") if needs_writing else nullcontext():
        async with aclosing(generate_answer(findings, llm=record.llm, language=record.language)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Delta):
                    record.partial_text += piece.text
                    yield piece
                else:
                    finished = piece
    if needs_writing or finished.citations:
        yield Status(step=Step.VERIFYING, message=phrase("Verified against the sources"))
    yield Done(answer=_finish(record, finished))


def _needs_writing(findings: Findings, llm: LLM) -> bool:
    return findings.answer is None or (findings.is_recap and not llm.is_offline)


def _clarification(record: QueryRecord, missing: Clarification, *, reason: str) -> Answer:
    """The question back, with a token that resumes the question as it was asked."""
    asked = with_resume_token(missing, question=record.question.asked)
    return Answer(text=asked.question, outcome=Outcome.CLARIFY, reason=reason, clarification=asked)


def _missing_fact(record: QueryRecord, missing: Clarification) -> Answer:
    """What a tree asks back; where the caller gave a value for it, that the tree does not understand that."""
    answer = _clarification(record, missing, reason="missing_fact")
    if missing.field not in record.question.facts:
        return answer
    given = sanitize(str(record.question.facts[missing.field]))
    why = phrase("The decision tree does not understand the answer “%(answer)s”.", answer=given)
    return replace(answer, why=(why,))


def _set_answer(record: QueryRecord, ready: Answer) -> None:
    """What was found needs no writing."""
    record.findings = Findings(
        question=record.question, consultation=record.consultation, evidence=record.evidence, answer=ready
    )


def _finish(record: QueryRecord, finished: Answer) -> Answer:
    """The answer as the row has it: with the path of the tree, and all that was used."""
    is_refused = finished.outcome == Outcome.REFUSED and finished.structure is None
    if is_refused and record.consultation.has_decided and finished.reason != UNSUPPORTED:
        finished = tree_answers.unsupported_end(record.question, record.consultation, finished)
    judged = record.findings.sufficiency if record.findings else None
    if finished.outcome == Outcome.REFUSED and judged and record.question.release.plugin.kind == PluginKind.LIBRARY:
        finished = replace(finished, nearest=judged.nearest)  # also where it was refused for what was written
    usage = finished.usage + record.usage_before_answer
    finished = replace(finished, decision_path=record.consultation.path, usage=usage)
    record.answer = said_in_language(finished, record.language)
    return record.answer


def as_lexic_error(error: Exception, question: Question) -> LexicError:
    """The error as interfaces show it. An unexpected error is logged."""
    if isinstance(error, LexicError):
        return error
    logger.error("query %s failed", question.id, exc_info=error)
    return outage_error(error) or QueryFailed(question)
