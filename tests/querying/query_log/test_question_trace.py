"""A question leaves a trace of its steps, and answers the same whatever becomes of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from asgiref.sync import async_to_sync

from plugins.models import Plugin
from querying import pipeline, releases
from querying.models import Query
from querying.types.events import Done, Failed
from querying.types.question import Caller, Question
from tests.langfuse_stub import Langfuse, langfuse
from tests.lexic.test_tracing import attributes
from tests.querying.scripted import Scripted

__all__ = ["langfuse"]
pytestmark = pytest.mark.django_db
WEATHER = "What is the minimum cover for a beam exposed to weather?"


def question(plugin: Plugin, **caller: Any) -> Question:
    release = releases.resolve(plugin.slug, principal=plugin.owner)
    return Question(text=WEATHER, release=release, caller=Caller(name="test", **caller))


def ask(asked: Question, llm: Scripted | None = None) -> Done | Failed:
    return async_to_sync(pipeline.answer)(asked, llm=llm)


def model() -> Scripted:
    """Answers as a language model elsewhere does."""
    llm = Scripted("The nominal cover is 45 mm [Source 1].")
    llm.is_offline = False
    return llm


def test_jl_057_the_steps_of_a_question_are_traced_with_their_times(langfuse: Langfuse, published: Plugin) -> None:
    done = ask(question(published), model())
    assert isinstance(done, Done)
    root, *steps = langfuse.spans()
    assert root["traceId"] == Query.objects.get().pk.hex
    assert {"retrieve", "weigh", "generate"} <= {step["name"] for step in steps}
    for step in steps:
        begun, ended = int(step["startTimeUnixNano"]), int(step["endTimeUnixNano"])
        assert int(root["startTimeUnixNano"]) <= begun <= ended <= int(root["endTimeUnixNano"])
    said = attributes(root)
    assert said["langfuse.trace.metadata.outcome"] == done.answer.outcome.value
    assert said["langfuse.trace.metadata.release"].startswith(published.slug)
    writing = next(step for step in steps if step["name"] == "generate")
    assert attributes(writing)["langfuse.observation.model.name"] == model().name
    assert "cover for a beam" not in str(langfuse.bodies)


def test_words_of_a_private_question_are_never_traced(langfuse: Langfuse, published: Plugin, settings: Any) -> None:
    settings.TRACING = langfuse.settings(content=True)
    ask(question(published))
    ask(replace(question(published), is_private=True))
    open_one, private = [span for span in langfuse.spans(traces=2) if "parentSpanId" not in span]
    assert attributes(open_one)["langfuse.trace.input"] == WEATHER
    assert attributes(open_one)["langfuse.trace.output"]
    assert not {"langfuse.trace.input", "langfuse.trace.metadata.release"} & attributes(private).keys()


def test_one_that_fails_is_traced_with_its_code(langfuse: Langfuse, published: Plugin) -> None:
    failed = ask(question(published), Scripted("", error=RuntimeError("of Quillfeather's")))
    assert isinstance(failed, Failed)
    root, *_ = langfuse.spans()
    assert root["status"] == {"code": 2, "message": failed.code}
    assert "Quillfeather" not in str(langfuse.bodies)


def test_a_collector_that_is_slow_or_away_changes_nothing(langfuse: Langfuse, published: Plugin, settings: Any) -> None:
    settings.TRACING = {**langfuse.settings(), "public_key": ""}
    untraced = ask(question(published))
    assert isinstance(untraced, Done)
    for change in ({"host": "http://127.0.0.1:1"}, {}):
        langfuse.is_open.clear()
        settings.TRACING = {**langfuse.settings(), **change}
        traced = ask(question(published))
        assert isinstance(traced, Done)
        assert traced.answer.text == untraced.answer.text
    assert Query.objects.count() == 3
    assert not langfuse.is_open.is_set()


def test_golden_questions_are_not_traced(langfuse: Langfuse, published: Plugin) -> None:
    ask(question(published, is_evaluation=True))
    ask(question(published))
    assert len([span for span in langfuse.spans() if "parentSpanId" not in span]) == 1
