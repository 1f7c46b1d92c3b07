"""The SDK against the real server, over real HTTP."""

from __future__ import annotations

import json
from typing import Any

import lexic_sdk
import pytest
from lexic_sdk import Answer, AsyncLexic, Event, Lexic, LexicError, QueryOptions
from lexic_sdk.langchain import LexicRetriever, LexicTool

from accounts.models import ApiKey, User
from plugins.models import Plugin
from querying.models import Query
from querying.types.refusals import REFUSAL
from tests.openai_stub import OpenAIStub, Status
from tests.sdk.running import run

pytestmark = pytest.mark.django_db(transaction=True)

WEATHER = "What is the minimum cover for a beam exposed to weather?"
BEAM = "What is the nominal cover of a beam?"
PIZZA = "Who won the chess olympiad in 1972?"


def said(answer: Answer) -> dict[str, Any]:
    """All but what is new with every question."""
    return {name: value for name, value in answer.raw.items() if name not in {"queryId", "type"}}


def test_lx_106_a_question_is_answered_with_citations_and_path(lexic: Lexic):
    answer = lexic.query(WEATHER)
    assert answer.is_answered
    assert "45 mm" in answer.answer
    assert answer.citations[0].id == "src_1"
    assert answer.citations[0].document == "Cover handbook"
    assert answer.citations[0].page is None
    assert [(step.node, step.value or step.result) for step in answer.decision_path] == [
        ("exposure_check", "severe"),
        ("cover_severe", "45 mm nominal cover"),
    ]
    assert (answer.plugin_version, answer.release) == ("1.0.0", "cover@1.0.0")
    assert answer.query_id == str(Query.objects.get().pk)


def test_every_way_of_asking_gives_the_same_answer(lexic: Lexic, server: str, key: str):
    async def ask() -> list[Answer]:
        async with AsyncLexic(key, base_url=server, default_plugin="cover") as asking:
            streamed = [event async for event in asking.query_stream(WEATHER)][-1]
            assert isinstance(streamed, lexic_sdk.DoneEvent)
            return [await asking.query(WEATHER), await asking.query_stream_to_result(WEATHER), streamed.result]

    events: list[Event] = []
    answers = [lexic.query(WEATHER), lexic.query_stream_to_result(WEATHER, on_event=events.append), *run(ask)]
    assert [said(answer) for answer in answers] == [said(answers[0])] * 5
    assert events[0] == lexic_sdk.StatusEvent(status="planning", message="Reading the question")
    assert "".join(event.text for event in events if event.type == "delta") == answers[0].answer


def test_options_context_and_facts_are_understood(lexic: Lexic):
    options = QueryOptions(citation_mode="off", max_sources=1, include_decision_path=False)
    context = [{"role": "user", "content": "I build a pier."}]
    answer = lexic.query(BEAM, options=options, context=context, facts={"exposure": "mild"})
    assert "20 mm" in answer.answer
    assert (answer.citations, answer.decision_path) == ([], [])
    assert len(Query.objects.get().passages) == 1


def test_a_clarification_is_resumed(lexic: Lexic):
    asked = lexic.query(BEAM)
    assert asked.outcome == "clarify"
    assert asked.clarification is not None
    assert asked.clarification.options == ["mild", "severe"]
    answered = lexic.answer_clarification(asked, "severe")
    assert answered.is_answered
    assert "45 mm" in answered.answer


def test_a_clarification_is_resumed_over_a_stream_and_by_an_async_client(server: str, key: str):
    async def ask() -> Answer:
        async with AsyncLexic(key, base_url=server, default_plugin="cover") as lexic:
            asked = await lexic.query_stream_to_result(BEAM)
            return await lexic.answer_clarification(asked, "mild", on_event=lambda event: None)

    assert "20 mm" in run(ask).answer


def test_a_refusal_is_an_answer_that_says_why(lexic: Lexic):
    answer = lexic.query(PIZZA)
    assert answer.is_refused
    assert (answer.answer, answer.citations, answer.confidence) == (REFUSAL, [], "low")
    assert answer.reason
    assert lexic.query_stream_to_result(PIZZA).is_refused


def test_a_wrong_key_is_401(server: str):
    with Lexic("lx_" + "x" * 43, base_url=server, default_plugin="cover") as lexic:
        for ask in (lambda: lexic.query(WEATHER), lambda: list(lexic.query_stream(WEATHER))):
            with pytest.raises(lexic_sdk.AuthenticationError) as raised:
                ask()
            assert raised.value.status == 401
            assert raised.value.code


def test_what_may_not_be_seen_is_404(lexic: Lexic, plugin: Plugin, server: str, charlies_key: str):
    with pytest.raises(lexic_sdk.NotFoundError) as raised:
        lexic.query(WEATHER, plugin="nothing")
    assert (raised.value.status, raised.value.code) == (404, "unknown_plugin")
    with Lexic(charlies_key, base_url=server) as charlie, pytest.raises(lexic_sdk.NotFoundError):
        charlie.query(WEATHER, plugin="cover@draft")


def test_lx_108_a_question_that_is_too_long_is_400_and_says_so(lexic: Lexic):
    with pytest.raises(lexic_sdk.InvalidRequestError, match="4000"):
        lexic.query("x" * 4001)


def test_lx_099_a_plugin_is_swapped_by_its_name_with_the_same_key(lexic: Lexic, alice: User):
    other = Plugin.objects.create(owner=alice, name="Other", slug="other", domain="x", system_prompt="x")
    assert lexic.set_active_plugin("other").query(WEATHER).release == "other@draft"
    assert lexic.query(WEATHER, plugin="cover").release == "cover@1.0.0"
    assert lexic.active_plugin == other.slug


def test_a_question_that_is_not_valid_is_400(lexic: Lexic):
    with pytest.raises(lexic_sdk.InvalidRequestError) as raised:
        lexic.query(WEATHER, options={"citationMode": "loud"})
    assert (raised.value.status, Query.objects.count()) == (400, 0)


def test_a_key_that_may_not_ask_is_403(server: str, alice: User):
    _, secret = ApiKey.objects.issue(owner=alice, name="reader", capabilities=["read"])
    with Lexic(secret, base_url=server) as lexic, pytest.raises(lexic_sdk.NotAllowedError):
        lexic.query(WEATHER, plugin="cover")


def test_lx_108_too_many_questions_are_429_with_the_time_to_wait(server: str, alice: User):
    _, secret = ApiKey.objects.issue(owner=alice, name="slow", per_minute=1)
    waits: list[float] = []
    with Lexic(secret, base_url=server, default_plugin="nothing", max_retries=1, sleep=waits.append) as lexic:
        for _ in range(2):  # two, because the minute may have ended in between
            with pytest.raises(LexicError) as raised:
                lexic.query(WEATHER)
    assert isinstance(raised.value, lexic_sdk.RateLimitError)
    assert raised.value.retry_after is not None
    assert 0 < raised.value.retry_after <= 60
    assert len(waits) == 1
    assert 0 < waits[0] <= 60


def test_me_says_what_the_key_may_do(lexic: Lexic):
    me = lexic.me()
    assert (me.owner, me.key_name, me.capabilities) == ("Alice", "agent", ["query"])
    assert [(plugin.slug, plugin.version) for plugin in me.plugins] == [("cover", "1.0.0")]
    assert me.limits == lexic_sdk.Limits(per_minute=60, per_day=5000)
    assert {left.per for left in me.left} <= {"minute", "day"}


def test_a_provider_that_fails_is_said_in_either_form(lexic: Lexic, stub: OpenAIStub):
    stub.script += [Status(500)] * 3
    with pytest.raises(lexic_sdk.ProviderError) as whole:
        lexic.query(WEATHER)
    stub.script[:] = [Status(500)] * 3
    with pytest.raises(lexic_sdk.ProviderError) as streamed:
        lexic.query_stream_to_result(WEATHER)
    assert (whole.value.status, whole.value.code) == (503, "provider_busy")
    assert (streamed.value.status, streamed.value.code) == (None, "provider_busy")


def test_the_langchain_tool_and_retriever_cite_what_the_client_cites(lexic: Lexic, server: str, key: str):
    answer = lexic.query(WEATHER)
    tool = LexicTool(api_key=key, base_url=server, plugin="cover")
    shown = json.loads(tool.invoke({"query": WEATHER}))
    assert (shown["answer"], shown["confidence"]) == (answer.answer, answer.confidence)
    assert shown["decisionPath"] == answer.raw["decisionPath"]
    retriever = LexicRetriever(api_key=key, base_url=server, plugin="cover")
    excerpts = [citation.excerpt for citation in answer.citations]
    assert [citation["excerpt"] for citation in shown["citations"]] == excerpts
    assert [document.page_content for document in run(lambda: retriever.ainvoke(WEATHER))] == excerpts
    asked = json.loads(run(lambda: tool.ainvoke({"query": BEAM})))["clarification"]
    assert "45 mm" in tool.invoke({"query": BEAM, "facts": {asked["field"]: "severe"}})


def test_a_plugin_of_ones_own_is_read_with_its_config(plugin: Plugin, alice: User, server: str, charlies_key: str):
    Plugin.objects.filter(pk=plugin.pk).update(config={"crm": 7})
    _, secret = ApiKey.objects.issue(owner=alice, name="reads", capabilities=["read"])
    with Lexic(secret, base_url=server, max_retries=0) as lexic:
        found = lexic.plugin("cover")
    assert (found.slug, found.config) == ("cover", {"crm": 7})
    with Lexic(charlies_key, base_url=server, max_retries=0) as stranger, pytest.raises(LexicError):
        stranger.plugin("cover")
