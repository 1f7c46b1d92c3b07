"""Runs as traces: which steps, how long, how many tokens, and no word of anybody's."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import User
from agents.execution.run_trace import run_trace, send_run_trace
from agents.models import AgentRun, EventKind, RunState
from plugins.models import Plugin
from tests.agents.working import SPACERS, ask, begin, text_of, work
from tests.langfuse_stub import Langfuse, langfuse
from tests.lexic.test_tracing import attributes

__all__ = ["langfuse"]
pytestmark = pytest.mark.django_db


def metadata(span: dict[str, Any]) -> dict[str, Any]:
    prefix = "langfuse.trace.metadata."
    return {name.removeprefix(prefix): value for name, value in attributes(span).items() if name.startswith(prefix)}


def test_jl_057_a_run_arrives_with_its_calls_and_without_words(
    published: Plugin, bob: User, langfuse: Langfuse, settings: Any
) -> None:
    settings.TRACING = langfuse.settings(content=True)
    run = ask(published, bob)
    spans = langfuse.spans(traces=2)
    [root] = [one for one in spans if one["name"] == "run"]
    [question] = [one for one in spans if one["name"] == "question"]
    assert metadata(root) | {"attempts": "1", "calls": "1", "tokens": "0"} == metadata(root)
    assert (metadata(root)["state"], metadata(root)["outcome"]) == ("done", "answered")
    [call] = [one for one in spans if one.get("parentSpanId") == root["spanId"]]
    assert call["name"] == "search_knowledge"
    assert int(call["endTimeUnixNano"]) >= int(call["startTimeUnixNano"]) >= int(root["startTimeUnixNano"]) - 10**6
    assert attributes(root)["session.id"] == attributes(question)["session.id"] == str(run.session_id)
    sent = str(langfuse.bodies)
    assert SPACERS not in sent
    assert text_of(run)[:40] not in sent
    assert "cover" not in sent, "nor the plugin's name"


def test_how_a_run_failed_is_a_code(published: Plugin, bob: User, langfuse: Langfuse) -> None:
    run = begin(published, bob)
    Plugin.objects.update(is_published=False)
    work(run)
    [root] = langfuse.spans()
    assert root["status"] == {"code": 2, "message": "unknown_plugin"}
    assert metadata(root)["state"] == "failed"


def test_tokens_are_those_of_a_model_and_a_made_up_tool_has_no_name(
    published: Plugin, bob: User, langfuse: Langfuse
) -> None:
    run = begin(published, bob)
    call = {"id": "call_1", "number": 1, "tool": "Marrow House owes 9", "input": {}}
    run.append((EventKind.TURN, {"calls": [call]}))
    error = {"error": "There is no tool of this name.", "code": "unknown_tool", "hint": ""}
    shown = {"callId": "call_1", "number": 1, "tool": call["tool"], "result": None, "error": error, "ms": 40}
    run.append((EventKind.STEP_END, shown))
    usage = {"promptTokens": 90, "completionTokens": 7}
    AgentRun.objects.update(model="gpt-4o", tokens=97)
    run.tokens = 97
    run.end(RunState.DONE, (EventKind.DONE, {"outcome": "answered", "stopped": "calls", "usage": usage}))
    stored = AgentRun.objects.get()
    made = run_trace(stored)
    assert [(one.name, one.error, one.model) for one in made.spans] == [
        ("unknown_tool", "unknown_tool", ""),
        ("model", "", "gpt-4o"),
    ]
    assert (made.spans[1].prompt_tokens, made.spans[1].completion_tokens) == (90, 7)
    assert made.attributes["stopped"] == "calls"
    assert made.is_private
    assert made.seconds < 60
    send_run_trace(stored)
    langfuse.spans()
    assert "Marrow" not in str(langfuse.bodies)


def test_without_keys_nothing_is_read_for_a_trace(published: Plugin, bob: User, django_assert_num_queries: Any) -> None:
    run = begin(published, bob)
    with django_assert_num_queries(0):
        send_run_trace(run)


def test_a_run_that_cannot_be_traced_ends_all_the_same(
    published: Plugin, bob: User, langfuse: Langfuse, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("agents.execution.run_trace.run_trace", lambda run: 1 / 0)
    assert ask(published, bob).state == "done"
    assert "could not be traced" in caplog.text
