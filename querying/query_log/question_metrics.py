"""Counts finished questions in the Prometheus metrics (`lexic.metrics`)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from lexic import metrics

if TYPE_CHECKING:
    from querying.query_log.record_query import QueryRecord


def count_question(record: QueryRecord) -> None:
    """Counts its outcome, times and tokens. Questions of golden questions and evaluations are not counted."""
    if not metrics.is_on() or record.question.caller.is_evaluation:
        return
    steps = [(name, seconds) for name, _, seconds in record.steps]
    seconds = time.monotonic() - record.started
    metrics.count_question(outcome=record.outcome.value, llm=record.llm.name, seconds=seconds, steps=steps)
    usage = record.answer.usage if record.answer else record.usage_before_answer
    metrics.count_tokens(llm=record.llm.name, read=usage.prompt_tokens or 0, written=usage.completion_tokens or 0)
