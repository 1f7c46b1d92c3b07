"""One `Query` row for every question, however it ended."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from django.db import IntegrityError, InterfaceError, OperationalError, transaction
from django.utils import timezone

from knowledge.models import Document
from lexic import tracing
from lexic.conf.languages import ENGLISH
from lexic.database import in_thread, release_connections
from lexic.errors import LexicError
from querying import json_format
from querying.answering.findings import Findings
from querying.answering.generate import build_prompt
from querying.llm_interface import LLM, ProviderFailed
from querying.models import ERASED_COLUMNS, STANDALONE, MonthlyCost, Query
from querying.private_layers import lock_account_against_deletion, lock_bases_against_deletion
from querying.query_log import refusal_webhook
from querying.query_log.cost import cost_of
from querying.query_log.question_metrics import count_question
from querying.query_log.question_trace import question_trace
from querying.query_log.spending import count_cost
from querying.question.consultation import Consultation
from querying.question.resolve import ResolvedQuestion
from querying.redaction.redact_question import redact_question
from querying.types.answer import Answer, Outcome
from querying.types.evidence import Evidence
from querying.types.question import Question
from querying.types.token_usage import Usage, estimate_usage

logger = logging.getLogger(__name__)

# Between the attempts to write the row of an answer: a database that is started again is back within some seconds.
_RETRY_SECONDS = (0.5, 1.0, 2.0, 4.0, 8.0)
_FOREIGN_KEYS = ("plugin_id", "release", "api_key_id", "user_id")


@dataclass
class QueryRecord:
    """What is known of a query so far. Filled in along the way, written once at the end."""

    question: ResolvedQuestion
    llm: LLM
    answer: Answer | None = None
    evidence: Evidence | None = None
    findings: Findings | None = None
    language: str = ENGLISH  # in which the asker is answered
    has_ended: bool = False  # though nothing was to be written
    consultation: Consultation = field(default_factory=Consultation)
    error: LexicError | None = None
    partial_text: str = ""
    timings: dict[str, int] = field(default_factory=dict)
    # Each time that a step was taken: its name, when it began (monotonic), and the seconds that it took.
    steps: list[tuple[str, float, float]] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)
    waited: Callable[[], float] = lambda: 0.0  # seconds that the question has waited for its turn so far

    @property
    def usage_before_answer(self) -> Usage:
        """The tokens of planning and of reading facts for a tree."""
        return self.consultation.usage + self.question.planned.usage

    @contextmanager
    def measure(self, step: str) -> Iterator[None]:
        """Adds the time that the block takes to the step's, without what it waits for its turn."""
        begun, waited = time.monotonic(), self.waited()
        try:
            yield
        finally:
            waiting = round((self.waited() - waited) * 1000)
            self.timings[step] = self.timings.get(step, 0) + max(0, _elapsed_ms(begun) - waiting)
            self.steps.append((step, begun, time.monotonic() - begun))

    @property
    def outcome(self) -> Outcome:
        """How the query ended. Without an answer and an error the caller has left, unless it was only a search."""
        if self.error:
            return Outcome.FAILED
        if self.answer:
            return self.answer.outcome
        return Outcome.FOUND if self.has_ended else Outcome.ABANDONED


@asynccontextmanager
async def record_query(question: Question, *, llm: LLM) -> AsyncIterator[QueryRecord]:
    """Writes the row when the block is left: by its end, by an error, or because the caller has gone."""
    record = QueryRecord(question=ResolvedQuestion.of(question), llm=llm)
    try:
        yield record
    finally:
        # Shielded: when the caller leaves, this very task is being cancelled.
        await asyncio.shield(asyncio.ensure_future(_write_row(record)))
        _send_trace(record)
        count_question(record)


def _send_trace(record: QueryRecord) -> None:
    """Sends the trace of the query where tracing is on, but not of golden questions and evaluations."""
    if not tracing.is_on() or record.question.caller.is_evaluation:
        return
    try:
        tracing.send(question_trace(record))
    except Exception:
        logger.exception("query %s could not be traced", record.question.id)


async def _write_row(record: QueryRecord) -> None:
    """Writes the row. If the database is away, the row of an answer is written when it is back, if that is soon."""
    pauses = iter(_RETRY_SECONDS if record.answer else ())
    while True:
        try:
            await in_thread(_save_row, record)
        except (OperationalError, InterfaceError):
            if pause := next(pauses, None):
                await asyncio.sleep(pause)
                continue
            _log_lost_row(record)
        except Exception:
            _log_lost_row(record)
        return


def _log_lost_row(record: QueryRecord) -> None:
    # The answer was given; losing its query row must be loud, but must not take the answer back.
    logger.exception("the query row of query %s could not be written", record.question.id)


def _save_row(record: QueryRecord) -> None:
    columns = _query_columns(record)
    with release_connections():
        try:
            with transaction.atomic():
                if columns["is_private"]:
                    columns |= _erased_if_gone(record, columns["knowledge"])
                query = Query.objects.create(**columns)
                if not record.question.caller.is_evaluation:
                    refusal_webhook.report_refusal(query)
        except IntegrityError:  # the plugin, the key or the person was deleted while it was being answered
            if Query.objects.filter(pk=record.question.id).exists():
                return  # it was committed, and the connection was lost before that was known
            erased = _erased_columns() if columns["is_private"] else {}
            query = Query.objects.create(**columns | dict.fromkeys(_FOREIGN_KEYS) | erased)
        _count_private_cost(record, query)
        _count_uncounted_answer(record)


def _erased_if_gone(record: QueryRecord, pins: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What changes of a private row where its asker or something that it read was deleted while it was answered: then
    no word of it is kept. What is there stays until the row is committed, so that its deletion finds the row."""
    has_account = lock_account_against_deletion(record.question.caller.user_id)
    found = lock_bases_against_deletion([pin["knowledge_base"] for pin in pins])
    changed: dict[str, Any] = {"knowledge": [pin for pin in pins if pin["knowledge_base"] in found]}
    if not has_account:
        return changed | dict.fromkeys(_FOREIGN_KEYS) | _erased_columns()
    return changed | (_erased_columns() if _has_lost_source(record, found) else {})


def _has_lost_source(record: QueryRecord, found: set[int]) -> bool:
    """Whether one of the layers is gone, the base of something that the row quotes, or a document of a layer."""
    read = list(record.evidence.passages) if record.evidence else []
    read += [citation.passage for citation in record.answer.citations] if record.answer else []
    layers = {layer.knowledge_base_id for layer in record.question.layers}
    if not layers | {passage.knowledge_base_id for passage in read} <= found:
        return True
    documents = {passage.document_id for passage in read if passage.knowledge_base_id in layers}
    return bool(documents) and Document.objects.present().filter(pk__in=documents).count() < len(documents)


def _erased_columns() -> dict[str, Any]:
    return {**ERASED_COLUMNS, "erased_at": timezone.now()}


def _count_private_cost(record: QueryRecord, query: Query) -> None:
    """Counts a private question towards the plugin's cap, in a sum without persons. Not in the transaction of the row:
    one that waits for a lock must hold no other."""
    if query.is_private and not record.question.caller.is_evaluation:
        with suppress(IntegrityError):  # the plugin is gone, and its cap
            MonthlyCost.objects.add(query.cost, plugin=record.question.release.plugin_id, at=query.created_at)


def _count_uncounted_answer(record: QueryRecord) -> None:
    """Counts an answer whose tokens no provider has counted towards the caps, by its length: whoever leaves before the
    end of each answer would pass them otherwise. The row says that its cost is not known."""
    evidence = record.findings.evidence if record.findings else None
    was_called = "generate" in record.timings and not record.llm.is_offline and evidence is not None
    if not was_called or record.question.caller.is_evaluation:
        return
    is_counted = record.answer is not None and record.answer.usage != record.usage_before_answer
    if is_counted or _has_provider_refused(record):
        return
    assert evidence is not None
    prompt = build_prompt(record.question, evidence=evidence, consultation=record.consultation)
    written = record.answer.text if record.answer else record.partial_text
    count_cost(record.question, estimate_usage(prompt.messages, written=written), llm=record.llm)


def _has_provider_refused(record: QueryRecord) -> bool:
    """Whether nothing came of the model: an error, or the list of documents in place of their recap."""
    listed = record.findings.answer if record.findings else None
    if record.answer and listed:
        return record.answer.citations == listed.citations
    return bool(record.error) and not record.partial_text


def _query_columns(record: QueryRecord) -> dict[str, Any]:
    question, asked, release = record.question, record.question.asked, record.question.release
    # Of an answer that broke off, the provider has counted nothing yet.
    usage = record.answer.usage if record.answer else record.usage_before_answer
    is_private = question.is_private
    return {
        "id": question.id,
        "plugin_id": None if is_private else release.plugin_id,
        "release": None if is_private or release.is_draft else release,
        "release_name": str(release),
        "knowledge": [*release.knowledge, *_layer_pins(question)],
        "layers": _layer_pins(question),
        "is_private": is_private,
        "conversation_id": question.conversation_id,
        "api_key_id": question.caller.api_key_id,
        "user_id": question.caller.user_id,
        "question": asked.text,
        "context": [{"role": turn.role, "content": turn.content} for turn in question.context],
        "options": redact_question(json_format.options_as_json(question.options)),
        "plan": _plan_column(question),
        "facts": dict(record.consultation.facts) or dict(question.facts),
        "embedder": ", ".join(sorted({pin["embedder"] for pin in [*release.knowledge, *_layer_pins(question)]})),
        "llm": record.llm.name,
        "timings": record.timings,
        "latency_ms": _elapsed_ms(record.started),
        "outcome": record.outcome.value,
        "cost": cost_of(usage, llm=record.llm, was_called="generate" in record.timings),
        "decision_path": list(record.consultation.path),
        **_evidence_columns(record),
        **_answer_columns(record),
    }


def _plan_column(question: ResolvedQuestion) -> dict[str, Any]:
    """With the standalone question of a follow-up, which alone says what it is about."""
    standalone = {STANDALONE: question.standalone} if question.standalone else {}
    return {**question.planned.as_dict(), **standalone}


def _layer_pins(question: Question) -> list[dict[str, Any]]:
    """The private layers as a release pins its bases."""
    return [
        {"knowledge_base": layer.knowledge_base_id, "revision": layer.revision, "embedder": layer.embedder}
        for layer in question.layers
    ]


def _evidence_columns(record: QueryRecord) -> dict[str, Any]:
    if record.evidence is None:
        return {}
    read = [
        {"chunk": p.chunk_id, "score": round(p.score, 4), "cosine": p.cosine, "lexical": p.lexical}
        for p in record.evidence.passages
    ]
    return {"passages": read, "evidence": record.evidence.strength}


def _answer_columns(record: QueryRecord) -> dict[str, Any]:
    if record.error:
        said = record.error.detail if isinstance(record.error, ProviderFailed) else ""
        error = f"{record.error.message} {said}".strip()
        return {"error": error, "reason": record.error.code, "answer": record.partial_text}
    if record.answer is None:
        basis, used = record.findings and record.findings.basis, record.usage_before_answer
        return {
            "answer": record.partial_text,
            "evidence_score": basis.grounds.score if basis else None,
            "prompt_tokens": used.prompt_tokens,
            "completion_tokens": used.completion_tokens,
        }
    answer = record.answer
    return {
        "answer": answer.text,
        "error": " ".join(answer.why),
        "citations": [json_format.citation_as_json(citation) for citation in answer.citations],
        "confidence": answer.confidence.value,
        "reason": answer.reason,
        "evidence_score": answer.basis.grounds.score if answer.basis else None,
        "probability": answer.basis.probability if answer.basis else None,
        "sentences": answer.sentences,
        "unproven": len(answer.dropped),
        "prompt_tokens": answer.usage.prompt_tokens,
        "completion_tokens": answer.usage.completion_tokens,
    }


def _elapsed_ms(begun: float) -> int:
    return round((time.monotonic() - begun) * 1000)
