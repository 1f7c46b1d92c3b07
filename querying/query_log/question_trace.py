"""A question that is over, as a trace of its steps (`lexic.tracing`)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from lexic.tracing import Span, Trace

if TYPE_CHECKING:
    from querying.query_log.record_query import QueryRecord

# The model's tokens are counted here, those of planning included.
_WRITING_STEP = "generate"


def question_trace(record: QueryRecord) -> Trace:
    """What it was and what came of it as figures and codes; its words are `input` and `output`."""
    question, answer = record.question, record.answer
    now, ended = time.time(), time.monotonic()
    outcome: dict[str, str | int | float | bool] = {"outcome": record.outcome.value, "llm": record.llm.name}
    if not question.is_private:
        outcome["release"] = str(question.release)
    if answer:
        outcome |= {"confidence": answer.confidence.value, "reason": answer.reason, "citations": len(answer.citations)}
    return Trace(
        id=question.id,
        name="question",
        started=now - (ended - record.started),
        seconds=ended - record.started,
        spans=[_step(record, name, now - (ended - begun), seconds) for name, begun, seconds in record.steps],
        is_private=question.is_private,
        attributes=outcome,
        session=str(question.conversation_id or ""),
        error=record.error.code if record.error else "",
        input=question.asked.text,
        output=answer.text if answer else record.partial_text,
    )


def _step(record: QueryRecord, name: str, started: float, seconds: float) -> Span:
    if name != _WRITING_STEP or record.llm.is_offline:
        return Span(name=name, started=started, seconds=seconds)
    usage = record.answer.usage if record.answer else record.usage_before_answer
    return Span(
        name=name,
        started=started,
        seconds=seconds,
        model=record.llm.name,
        prompt_tokens=usage.prompt_tokens or 0,
        completion_tokens=usage.completion_tokens or 0,
    )
