"""Sends traces to a Langfuse or another collector, as OTLP over HTTP in JSON: one thread a process, with a short queue.

It is a small exporter of our own because that of OpenTelemetry brings a client of its own, and every address is asked
through `lexic.egress`.
"""

from __future__ import annotations

import atexit
import base64
import json
import logging
import os
import queue
import secrets
import threading
import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from lexic import egress
from lexic.egress import EgressPolicy
from lexic.egress_connection import resolve_host
from lexic.errors import LexicError
from lexic.tracing import Attributes, Span, Trace
from lexic.version import version

logger = logging.getLogger(__name__)

MAX_WAITING, MAX_BATCH = 500, 50
TIMEOUT_SECONDS = 10.0
# So long nothing is sent after a failure, and nothing is waited for at the end of the process.
BACKOFF_SECONDS, CLOSE_SECONDS = 30.0, 2.0
_BATCH_SECONDS = 1.0
_MAX_ANSWER_BYTES = 2000
_MAX_CONTENT_LENGTH = 20_000
_LANGFUSE_PATH, _TRACES_PATH = "/api/public/otel", "/v1/traces"
_SPAN_KIND_INTERNAL, _STATUS_OK, _STATUS_ERROR = 1, 1, 2
_lock = threading.Lock()
_exporter: TraceExporter | None = None


def exporter() -> TraceExporter:
    """The one of this process. A process that was forked makes its own, because threads stay behind."""
    global _exporter
    with _lock:
        if _exporter is None or _exporter.process != os.getpid():
            _exporter = TraceExporter()
        return _exporter


class TraceExporter:
    """A queue and the thread that empties it. What does not fit is dropped."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self._waiting: queue.Queue[Trace] = queue.Queue(maxsize=MAX_WAITING)
        self._closing = threading.Event()
        self._silent_until = 0.0
        self._thread = threading.Thread(target=self._run, name="trace-exporter", daemon=True)
        self._thread.start()
        atexit.register(self.close)

    def put(self, trace: Trace) -> None:
        """Never waits: a trace for which there is no room is dropped."""
        try:
            self._waiting.put_nowait(trace)
        except queue.Full:
            logger.debug("a trace was dropped: %s are waiting", MAX_WAITING)

    def close(self) -> None:
        """Sends what waits, for two seconds at most."""
        if self.process == os.getpid():
            self._closing.set()
            self._thread.join(CLOSE_SECONDS)

    def _run(self) -> None:
        while not (self._closing.is_set() and self._waiting.empty()):
            try:
                batch = [self._waiting.get(timeout=_BATCH_SECONDS / 4)]
            except queue.Empty:
                continue
            end = time.monotonic() + _BATCH_SECONDS
            while len(batch) < MAX_BATCH and time.monotonic() < end and not self._closing.is_set():
                try:
                    batch.append(self._waiting.get(timeout=max(0.01, end - time.monotonic())))
                except queue.Empty:
                    break
            self._send_batch(batch)

    def _send_batch(self, batch: Sequence[Trace]) -> None:
        """What cannot be sent is dropped, and for a while all that follows."""
        if time.monotonic() < self._silent_until:
            return
        try:
            status = _post(json.dumps(otlp_body(batch), ensure_ascii=False).encode("utf-8", "replace"))
            problem = "" if 200 <= status < 300 else f"it answered with status {status}"
        except LexicError as error:
            problem = error.message
        except Exception:
            logger.exception("traces could not be sent")
            problem = "something unexpected went wrong"
        if problem:
            self._silent_until = time.monotonic() + BACKOFF_SECONDS
            logger.warning("%s traces were not taken by the %s: %s", len(batch), _collector_name(), problem)


def _post(body: bytes) -> int:
    """The status. Raises `EgressRefused`, `FetchFailed`."""
    url, credentials = _collector()
    headers = {"Content-Type": "application/json", "User-Agent": "Lexic", **credentials}
    posted = egress.post(
        url,
        body=body,
        headers=headers,
        max_bytes=_MAX_ANSWER_BYTES,
        timeout=TIMEOUT_SECONDS,
        policy=_operators_policy(url),
    )
    return posted.status


def _collector() -> tuple[str, dict[str, str]]:
    """Its address, and the headers that let us in."""
    tracing = settings.TRACING
    if tracing["endpoint"]:
        return f"{tracing['endpoint']}{_TRACES_PATH}", tracing["headers"]
    credentials = base64.b64encode(f"{tracing['public_key']}:{tracing['secret_key']}".encode()).decode()
    return f"{tracing['host']}{_LANGFUSE_PATH}{_TRACES_PATH}", {"Authorization": f"Basic {credentials}"}


def _collector_name() -> str:
    """The setting that says which one it is."""
    return "collector of OTEL_EXPORTER_OTLP_ENDPOINT" if settings.TRACING["endpoint"] else "Langfuse of LANGFUSE_HOST"


def _operators_policy(url: str) -> EgressPolicy:
    """The operator's own collector may stand in their own network: where its name leads, and nowhere else."""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        addresses = resolve_host(parts.hostname or "", port)
    except OSError:
        addresses = []
    return EgressPolicy(exempt=frozenset((address, port) for address in addresses))


def otlp_body(traces: Sequence[Trace]) -> dict[str, Any]:
    """The traces as the JSON of OTLP: each a root span and a span for every step."""
    spans = [span for trace in traces for span in _trace_spans(trace)]
    about = {"service.name": settings.TRACING["service_name"], "service.version": version()}
    resource = {"attributes": _attributes(about)}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {"name": "lexic"}, "spans": spans}]}]}


def _trace_spans(trace: Trace) -> list[dict[str, Any]]:
    root = secrets.token_hex(8)
    about = {
        "langfuse.trace.name": trace.name,
        "session.id": trace.session,
        "gen_ai.conversation.id": trace.session,
        "langfuse.trace.input": trace.input[:_MAX_CONTENT_LENGTH],
        "langfuse.trace.output": trace.output[:_MAX_CONTENT_LENGTH],
        **{f"langfuse.trace.metadata.{name}": value for name, value in trace.attributes.items()},
    }
    whole = Span(name=trace.name, started=trace.started, seconds=trace.seconds, error=trace.error)
    steps = [
        _span(step, trace, span_id=secrets.token_hex(8), parent=root, attributes=_step_attributes(step))
        for step in trace.spans
    ]
    return [_span(whole, trace, span_id=root, parent="", attributes=about), *steps]


def _step_attributes(step: Span) -> Attributes:
    found: dict[str, str | int | float | bool] = {
        "langfuse.observation.type": "generation" if step.model else "span",
        "langfuse.observation.model.name": step.model,
        "langfuse.observation.input": step.input[:_MAX_CONTENT_LENGTH],
        "langfuse.observation.output": step.output[:_MAX_CONTENT_LENGTH],
        **{f"langfuse.observation.metadata.{name}": value for name, value in step.attributes.items()},
    }
    if step.model:
        found |= {"gen_ai.operation.name": "chat", "gen_ai.request.model": step.model}
    if step.prompt_tokens or step.completion_tokens:
        found["gen_ai.usage.input_tokens"] = step.prompt_tokens
        found["gen_ai.usage.output_tokens"] = step.completion_tokens
        usage = {"input": step.prompt_tokens, "output": step.completion_tokens}
        found["langfuse.observation.usage_details"] = json.dumps(usage)
    return found


def _span(step: Span, trace: Trace, *, span_id: str, parent: str, attributes: Attributes) -> dict[str, Any]:
    error = {
        "error.type": step.error,
        "langfuse.observation.level": "ERROR",
        "langfuse.observation.status_message": step.error,
    }
    return {
        "traceId": trace.id.hex,
        "spanId": span_id,
        **({"parentSpanId": parent} if parent else {}),
        "name": step.name,
        "kind": _SPAN_KIND_INTERNAL,
        "startTimeUnixNano": _nanoseconds(step.started),
        "endTimeUnixNano": _nanoseconds(step.started + step.seconds),
        "attributes": _attributes({**attributes, **(error if step.error else {})}),
        "status": {"code": _STATUS_ERROR, "message": step.error} if step.error else {"code": _STATUS_OK},
    }


def _nanoseconds(seconds: float) -> str:
    """Nanoseconds as OTLP's JSON has them: a text, because not every parser reads so large a number."""
    return str(round(seconds * 1_000_000) * 1000)


def _attributes(values: Attributes) -> list[dict[str, Any]]:
    """The attributes that have a value, as OTLP has them."""
    return [{"key": name, "value": _value(value)} for name, value in values.items() if value != ""]


def _value(value: str | int | float | bool) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"doubleValue": value} if isinstance(value, float) else {"stringValue": value}
