"""Traces go out in the background, to a Langfuse that may be away, and never with words that are private."""

from __future__ import annotations

import base64
import logging
import os
import subprocess
import sys
import uuid
from pathlib import Path
from typing import Any

import pytest
from environs import Env, ValidationError

from lexic import trace_exporter, tracing
from lexic.conf.tracing import read_tracing
from lexic.tracing import Span, Trace
from tests.langfuse_stub import Langfuse, langfuse

__all__ = ["langfuse"]
ROOT = Path(__file__).resolve().parents[2]
BEGUN = 1_770_000_000.25


def trace(**fields: Any) -> Trace:
    spans = [
        Span(name="search", started=BEGUN + 0.5, seconds=0.25, attributes={"passages": 8}, output="Words of a page."),
        Span(name="model", started=BEGUN + 1, seconds=2, model="gpt-4o", prompt_tokens=90, completion_tokens=7),
        Span(name="broken", started=BEGUN + 3, seconds=0, error="provider_failed"),
    ]
    given = {"name": "run", "is_private": False, "input": "Who asks?", "output": "Nobody.", **fields}
    return Trace(id=uuid.uuid4(), started=BEGUN, seconds=4, spans=spans, **given)


def attributes(span: dict[str, Any]) -> dict[str, Any]:
    return {one["key"]: next(iter(one["value"].values())) for one in span["attributes"]}


def test_jl_057_without_keys_nothing_is_sent_and_nothing_imported(tmp_path: Path) -> None:
    script = (
        "import django, sys, uuid; django.setup()\n"
        "import querying.pipeline\n"
        "from lexic import tracing\n"
        "made = tracing.Trace(id=uuid.uuid4(), name='q', started=0, seconds=0, spans=(), is_private=False)\n"
        "tracing.send(made)\n"
        "print(tracing.is_on(), 'lexic.trace_exporter' in sys.modules)"
    )
    clean = {name: value for name, value in os.environ.items() if not name.startswith("LANGFUSE")}
    environment = {**clean, "DJANGO_SETTINGS_MODULE": "lexic.settings", "LEXIC_VAR_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "False"]


def test_a_trace_arrives_with_names_and_durations(langfuse: Langfuse) -> None:
    tracing.send(trace(session="c-1", attributes={"outcome": "answered"}))
    root, search, model, broken = langfuse.spans()
    [(path, credentials, _)] = langfuse.bodies
    assert path == "/api/public/otel/v1/traces"
    assert base64.b64decode(credentials.removeprefix("Basic ")) == b"pk-1:sk-1"
    assert [one["name"] for one in (root, search, model, broken)] == ["run", "search", "model", "broken"]
    assert {one["parentSpanId"] for one in (search, model, broken)} == {root["spanId"]}
    assert len({one["traceId"] for one in (root, search, model, broken)}) == 1
    assert (search["startTimeUnixNano"], search["endTimeUnixNano"]) == ("1770000000750000000", "1770000001000000000")
    assert int(root["endTimeUnixNano"]) - int(root["startTimeUnixNano"]) == 4 * 10**9
    assert attributes(root)["session.id"] == "c-1"
    assert attributes(root)["langfuse.trace.metadata.outcome"] == "answered"
    assert attributes(search)["langfuse.observation.metadata.passages"] == "8"
    assert attributes(model)["langfuse.observation.type"] == "generation"
    assert attributes(model)["langfuse.observation.usage_details"] == '{"input": 90, "output": 7}'
    assert (broken["status"], search["status"]) == ({"code": 2, "message": "provider_failed"}, {"code": 1})


def test_a_collector_that_is_no_langfuse_is_told_by_the_names_of_opentelemetry(
    langfuse: Langfuse, settings: Any
) -> None:
    settings.TRACING = langfuse.as_collector()
    tracing.send(trace(session="c-1"))
    root, _, model, broken = langfuse.spans()
    [(path, credentials, body)] = langfuse.bodies
    assert (path, credentials) == ("/v1/traces", "Bearer of-the-collector")
    assert attributes(body["resourceSpans"][0]["resource"])["service.name"] == "lexic"
    assert attributes(root)["gen_ai.conversation.id"] == "c-1"
    said = attributes(model)
    assert (said["gen_ai.operation.name"], said["gen_ai.request.model"]) == ("chat", "gpt-4o")
    assert (said["gen_ai.usage.input_tokens"], said["gen_ai.usage.output_tokens"]) == ("90", "7")
    assert attributes(broken)["error.type"] == "provider_failed"
    assert "Who asks?" not in str(langfuse.bodies)


@pytest.mark.parametrize(
    ("content", "is_private", "is_shown"), [(False, False, False), (True, False, True), (True, True, False)]
)
def test_words_go_along_only_where_the_operator_wants_them_and_they_are_not_private(
    langfuse: Langfuse, settings: Any, content: bool, is_private: bool, is_shown: bool
) -> None:
    settings.TRACING = langfuse.settings(content=content)
    tracing.send(trace(is_private=is_private))
    langfuse.spans()
    said = str(langfuse.bodies)
    assert [word in said for word in ("Who asks?", "Nobody.", "Words of a page.")] == [is_shown] * 3


def test_jl_057_there_is_one_client_in_a_process(langfuse: Langfuse) -> None:
    assert trace_exporter.exporter() is trace_exporter.exporter()
    for _ in range(3):
        tracing.send(trace())
    langfuse.spans(traces=3)
    assert len({credentials for _, credentials, _ in langfuse.bodies}) == 1


def test_a_collector_that_does_not_answer_keeps_nobody_waiting(langfuse: Langfuse) -> None:
    """More are handed on than there is room for, while it holds the first: those that do not fit are dropped."""
    langfuse.is_open.clear()
    tracing.send(trace())
    assert langfuse.has_asked()
    for _ in range(2 * trace_exporter.MAX_WAITING):
        tracing.send(trace())
    assert not langfuse.is_open.is_set()
    assert len(langfuse.bodies) == 1


@pytest.mark.parametrize("status", [302, 401, 500])
def test_a_collector_that_refuses_is_left_alone_for_a_while_and_said_once(
    langfuse: Langfuse, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    langfuse.status = status
    caplog.set_level(logging.WARNING)
    exporter = trace_exporter.TraceExporter()
    exporter._send_batch([trace()])
    exporter._send_batch([trace()])
    exporter.close()
    assert len(langfuse.bodies) == 1
    assert [one.message for one in caplog.records] == [
        f"1 traces were not taken by the Langfuse of LANGFUSE_HOST: it answered with status {status}"
    ]
    assert "sk-1" not in caplog.text


def test_a_collector_that_is_away_raises_nothing(settings: Any, langfuse: Langfuse) -> None:
    settings.TRACING = {**langfuse.settings(), "host": "http://127.0.0.1:1"}
    exporter = trace_exporter.TraceExporter()
    exporter._send_batch([trace()])
    settings.TRACING = {**langfuse.settings(), "host": "http://no such host"}
    exporter._silent_until = 0.0
    exporter._send_batch([trace()])
    exporter.close()
    assert langfuse.bodies == []


def test_what_cannot_be_handed_on_is_no_error_of_the_caller(
    langfuse: Langfuse, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(trace_exporter.TraceExporter, "put", lambda self, trace: 1 / 0)
    tracing.send(trace())
    assert "could not be handed on" in caplog.text


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        (
            {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "LANGFUSE_PUBLIC_KEY": "a", "LANGFUSE_SECRET_KEY": "b"},
            "are both set",
        ),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://here:4318", "OTEL_EXPORTER_OTLP_HEADERS": "key"}, "cannot be read"),
    ],
)
def test_settings_that_make_no_sense_stop_the_start(variables: dict[str, str], said: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        with pytest.raises(ValidationError, match=said):
            read_tracing(Env())


def test_headers_of_the_collector_are_read_as_opentelemetry_writes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://here:4318/")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "api-key=abc, Authorization=Basic%20eHk=")
    read = read_tracing(Env())
    assert read["endpoint"] == "http://here:4318"
    assert read["headers"] == {"api-key": "abc", "Authorization": "Basic eHk="}
