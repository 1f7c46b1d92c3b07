"""Traces: which steps a question, a run or a task took, and how long, for whoever runs the site.

Whoever has answered something builds a `Trace` once it is over and gives it to `send`, which neither waits nor raises:

    if tracing.is_on():
        tracing.send(tracing.Trace(id=run.id, name="run", started=…, seconds=…, spans=steps, is_private=True))

Nothing is traced without the keys of a Langfuse, or the address of another collector of OpenTelemetry, and then the
module that sends is not even imported. Words of questions and answers (`input`, `output`) go along only where
`LEXIC_TRACE_CONTENT` is on, and never those of a private question or run. Names, attributes and error codes always do,
so that no words of anybody's may stand in them.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from django.conf import settings

logger = logging.getLogger(__name__)

Attributes = Mapping[str, str | int | float | bool]


@dataclass(frozen=True, kw_only=True)
class Span:
    """One step. `started` in seconds since 1970, `seconds` how long it took; `error` is the code of what went wrong.
    A `model` makes it a call of a language model, with the tokens that it read and wrote."""

    name: str
    started: float
    seconds: float
    attributes: Attributes = field(default_factory=dict)
    error: str = ""
    model: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    input: str = ""
    output: str = ""


@dataclass(frozen=True, kw_only=True)
class Trace:
    """A question, or a run, as one trace with the spans of its steps. `session` ties those of one conversation."""

    id: UUID
    name: str
    started: float
    seconds: float
    spans: Sequence[Span]
    is_private: bool
    attributes: Attributes = field(default_factory=dict)
    session: str = ""
    error: str = ""
    input: str = ""
    output: str = ""

    def without_content(self) -> Trace:
        spans = [replace(span, input="", output="") for span in self.spans]
        return replace(self, input="", output="", spans=spans)


def is_on() -> bool:
    """Whether traces are sent at all: look before you build one."""
    return bool(settings.TRACING["public_key"] or settings.TRACING["endpoint"])


def send(trace: Trace) -> None:
    """Hands the trace to the background. Waits for nothing and raises nothing: when the collector is slow or away,
    traces are dropped."""
    if not is_on():
        return
    try:
        from lexic.trace_exporter import exporter  # only where there is somebody to send to

        exporter().put(trace.without_content() if trace.is_private or not settings.TRACING["content"] else trace)
    except Exception:
        logger.exception("a trace could not be handed on")
