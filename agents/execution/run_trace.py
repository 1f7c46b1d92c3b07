"""A run that has ended, as a trace of its calls (`lexic.tracing`), read from its journal."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from django.utils import timezone

from agents.models import AgentEvent, AgentRun, EventKind
from agents.tools.registry import TOOLS, UnknownTool
from conversations.models import ChatMessage
from lexic import tracing
from lexic.tracing import Span, Trace

logger = logging.getLogger(__name__)


def send_run_trace(run: AgentRun) -> None:
    """Sends the run's trace where tracing is on. Raises nothing: a trace that cannot be made is logged."""
    if not tracing.is_on():
        return
    try:
        tracing.send(run_trace(run))
    except Exception:
        logger.exception("run %s could not be traced", run.pk)


def run_trace(run: AgentRun) -> Trace:
    """The calls, the tokens and how it ended, as figures and codes; what was said is `input` and `output`."""
    events = list(run.events.order_by("number"))
    last: Mapping[str, Any] = next((one.data for one in reversed(events) if one.kind == EventKind.DONE), {})
    failed: Mapping[str, Any] = next((one.data for one in reversed(events) if one.kind == EventKind.ERROR), {})
    is_private = run.session.is_private
    seconds = ((run.ended_at or timezone.now()) - run.created_at).total_seconds()
    attributes: dict[str, str | int | float | bool] = {
        "state": run.state,
        "outcome": last.get("outcome", ""),
        "stopped": last.get("stopped") or "",
        "agent_type": run.agent_type,
        "calls": sum(one.kind == EventKind.STEP_END for one in events),
        "tokens": run.tokens,
        "attempts": run.attempts,
    }
    if not is_private:
        attributes["release"] = run.release_name
    answer = ChatMessage.objects.filter(
        session=run.session_id, role=ChatMessage.Role.ASSISTANT, query_id=run.message.query_id
    )
    return Trace(
        id=run.pk,
        name="run",
        started=run.created_at.timestamp(),
        seconds=seconds,
        spans=[*_calls(events), *_model(run, last.get("usage", {}), seconds)],
        is_private=is_private,
        attributes=attributes,
        session=str(run.session_id),
        error=failed.get("code", ""),
        input=run.message.content,
        output=answer.values_list("content", flat=True).first() or "",
    )


def _calls(events: list[AgentEvent]) -> Iterator[Span]:
    for event in events:
        if event.kind != EventKind.STEP_END:
            continue
        took, error = event.data["ms"] / 1000, event.data["error"] or {}
        # A model may call what does not exist, by any words.
        known = event.data["tool"] in TOOLS
        yield Span(
            name=event.data["tool"] if known else UnknownTool.code,
            started=(event.at - timedelta(seconds=took)).timestamp(),
            seconds=took,
            attributes={"number": event.data["number"]},
            error=error.get("code", ""),
        )


def _model(run: AgentRun, usage: Mapping[str, int], seconds: float) -> Iterator[Span]:
    """The tokens of all its turns, where a model was asked."""
    read, written = usage.get("promptTokens", 0), usage.get("completionTokens", 0)
    if read or written:
        yield Span(
            name="model",
            started=run.created_at.timestamp(),
            seconds=seconds,
            model=run.model,
            prompt_tokens=read,
            completion_tokens=written,
        )
