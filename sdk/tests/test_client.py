"""Both clients, by the same tests."""

from __future__ import annotations

import builtins
import json
from datetime import date
from typing import Any

import httpx
import pytest
from made import ANSWER, CLARIFY, error, ok, run
from scripted_server import KEY, Server

import lexic_sdk
from lexic_sdk import (
    AsyncLexic,
    AuthenticationError,
    ConfigurationError,
    Lexic,
    LexicError,
    NotFoundError,
    QueryOptions,
    RateLimitError,
)

WEATHER = "What is the minimum cover for a beam exposed to weather?"


# --- What is sent --------------------------------------------------------------------------------------------


def test_lx_097_the_client_takes_key_address_default_plugin_and_timeout(server: Server):
    with httpx.Client(transport=httpx.MockTransport(server.answers(ok()))) as http:
        lexic = Lexic(
            api_key=KEY, base_url="https://lexic.example", default_plugin="cover", timeout=30, http_client=http
        )
        lexic.query(WEATHER)
    request = server.requests[0]
    assert request.url == "https://lexic.example/api/v1/query"
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    assert request.extensions["timeout"] == {"connect": 30, "read": 30, "write": 30, "pool": 30}
    assert server.bodies == [{"plugin": "cover", "query": WEATHER}]


def test_lx_097_the_timeout_is_two_minutes_unless_given(client: Lexic, server: Server):
    server.answers(ok())
    client.query(WEATHER)
    assert server.requests[0].extensions["timeout"]["read"] == 120


def test_lx_098_context_and_options_are_sent_only_when_given(client: Lexic, server: Server):
    server.answers(ok())
    client.query(WEATHER)
    client.query(WEATHER, context=[], options={}, facts={}, filters={})
    client.query(WEATHER, options=QueryOptions())
    assert server.bodies == [{"plugin": "cover", "query": WEATHER}] * 3


def test_what_is_given_is_sent_as_the_server_spells_it(client: Lexic, server: Server):
    server.answers(ok())
    turns = [{"role": "user", "content": "before"}, {"role": "assistant", "content": "answer"}]
    client.query(
        WEATHER,
        context=turns,
        options=QueryOptions(citation_mode="footnote", include_decision_path=False, as_of=date(2020, 1, 2)),
        facts={"exposure": "severe", "depth": 45},
        filters={"doc_type": "code"},
    )
    assert server.bodies == [
        {
            "plugin": "cover",
            "query": WEATHER,
            "context": turns,
            "options": {
                "citationMode": "footnote",
                "includeDecisionPath": False,
                "asOf": "2020-01-02",
                "filters": {"doc_type": "code"},
            },
            "facts": {"exposure": "severe", "depth": 45},
        }
    ]


@pytest.mark.parametrize(
    "options",
    [{"citationMode": "off", "maxSources": 5, "new": 1}, {"citation_mode": "off", "max_sources": 5, "new": 1}],
)
def test_options_as_a_mapping_take_either_spelling_and_names_of_the_future(
    client: Lexic, server: Server, options: dict[str, Any]
):
    server.answers(ok())
    client.query(WEATHER, options=options)
    assert server.bodies[0]["options"] == {"citationMode": "off", "maxSources": 5, "new": 1}


def test_lx_098_the_plugin_of_a_call_beats_the_active_one(client: Lexic, server: Server):
    server.answers(ok())
    client.query("?", plugin="hvac")
    client.query("?")
    assert [body["plugin"] for body in server.bodies] == ["hvac", "cover"]


def test_lx_099_plugins_are_swapped_by_name_with_the_same_key_and_nothing_else_is_sent(client: Lexic, server: Server):
    server.answers(ok())
    client.query("?")
    assert client.set_active_plugin("hvac-design-v1").active_plugin == "hvac-design-v1"
    client.query("?")
    assert server.bodies == [{"plugin": "cover", "query": "?"}, {"plugin": "hvac-design-v1", "query": "?"}]
    assert {request.headers["Authorization"] for request in server.requests} == {f"Bearer {KEY}"}


def test_without_a_plugin_nothing_is_sent_and_the_call_says_so(client: Lexic, server: Server):
    client.set_active_plugin("")
    with pytest.raises(ConfigurationError, match="No plugin"):
        client.query("?")
    with pytest.raises(ConfigurationError, match="No plugin"):
        client.query_stream("?")  # at the call, not when the first event is asked for
    assert server.requests == []


# --- What comes back -----------------------------------------------------------------------------------------


def test_an_answer_comes_back_whole(client: Lexic, server: Server):
    server.answers(ok())
    answer = client.query(WEATHER)
    assert answer.answer == ANSWER["answer"]
    assert answer.citations[0].page == 47
    assert [step.value or step.result for step in answer.decision_path] == ["severe", "beam", "45mm"]
    assert answer.request == {"plugin": "cover", "query": WEATHER}


@pytest.mark.parametrize("body", [[], None, "text", {"answer": 7}])
def test_an_odd_body_is_an_empty_answer(client: Lexic, server: Server, body: Any):
    server.answers(httpx.Response(200, content=json.dumps(body)))
    assert client.query("?").answer == ""


@pytest.mark.parametrize("content", [b"<html>Welcome</html>", b"", b"[" * 100_000])
def test_what_is_not_json_is_an_error(client: Lexic, server: Server, content: bytes):
    server.answers(httpx.Response(200, content=content))
    with pytest.raises(lexic_sdk.InvalidResponseError, match="not JSON"):
        client.query("?")


def test_an_answer_without_end_is_not_read(client: Lexic, server: Server, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("lexic_sdk.responses.MAX_BODY_BYTES", 1000)
    server.answers(httpx.Response(200, content=b" " * 1001))
    with pytest.raises(lexic_sdk.InvalidResponseError, match="too long"):
        client.query("?")


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, lexic_sdk.InvalidRequestError),
        (401, lexic_sdk.AuthenticationError),
        (403, lexic_sdk.NotAllowedError),
        (404, lexic_sdk.NotFoundError),
        (405, lexic_sdk.InvalidRequestError),
        (409, lexic_sdk.ConflictError),
        (412, lexic_sdk.ConflictError),
        (413, lexic_sdk.InvalidRequestError),
        (422, lexic_sdk.InvalidRequestError),
        (429, lexic_sdk.RateLimitError),
        (500, lexic_sdk.ServerError),
        (502, lexic_sdk.ProviderError),
        (503, lexic_sdk.ProviderError),
        (504, lexic_sdk.ProviderError),
    ],
)
def test_an_error_has_class_status_code_hint_and_request_id(
    client: Lexic, server: Server, status: int, kind: type[LexicError]
):
    server.answers(error(status, X_Request_ID="r-7"))
    with pytest.raises(LexicError) as raised:
        client.query("?")
    found = raised.value
    assert type(found) is kind
    assert (found.message, found.status, found.code) == ("A sentence.", status, "some_code")
    assert (found.hint, found.request_id) == ("Do this.", "r-7")
    assert str(found) == "A sentence. Do this."


@pytest.mark.parametrize("content", [b"<h1>Bad gateway</h1>", b"", b"[1]", b'{"error": {"message": 1}}'])
def test_an_error_of_a_proxy_is_one_of_ours(client: Lexic, server: Server, content: bytes):
    server.answers(httpx.Response(401, content=content))
    with pytest.raises(AuthenticationError) as raised:
        client.query("?")
    assert (raised.value.message, raised.value.code) == ("This needs a valid API key.", "not_authenticated")


# --- Trying again --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "failure", [error(429), error(502), error(503), error(504), httpx.ConnectError("x"), httpx.ReadError("x")]
)
def test_what_may_pass_is_tried_again(client: Lexic, server: Server, failure: Any):
    server.answers(failure, ok())
    assert client.query(WEATHER).answer == ANSWER["answer"]
    assert len(server.requests) == 2
    assert 0.25 <= server.waits[0] <= 0.5


def test_every_attempt_of_a_question_has_the_same_name_and_each_question_one_of_its_own(client: Lexic, server: Server):
    server.answers(httpx.ReadError("cut"), ok())
    client.query(WEATHER)
    first, again = (request.headers["Idempotency-Key"] for request in server.requests)
    assert first == again
    client.query(WEATHER)
    assert server.requests[-1].headers["Idempotency-Key"] != first
    client.me()
    assert "Idempotency-Key" not in server.requests[-1].headers


def test_a_question_that_is_still_being_answered_is_waited_for(client: Lexic, server: Server):
    in_progress = {"error": "Still being answered.", "code": "request_in_progress", "hint": "Wait."}
    busy = httpx.Response(409, json=in_progress, headers={"Retry-After": "2"})
    server.answers(busy, ok())
    assert client.query(WEATHER).answer == ANSWER["answer"]
    assert server.waits == [2.0]


def test_an_attempt_that_is_still_being_answered_does_not_count_as_a_retry(client: Lexic, server: Server):
    busy = httpx.Response(409, json={"code": "request_in_progress"}, headers={"Retry-After": "2"})
    server.answers(httpx.ReadError("cut"), *[busy] * 20, error(503), busy, ok())
    assert client.query(WEATHER).answer == ANSWER["answer"]
    assert server.waits.count(2.0) == 21


def test_an_attempt_that_is_still_being_answered_is_waited_for_up_to_the_timeout(client: Lexic, server: Server):
    server.answers(httpx.Response(409, json={"code": "request_in_progress"}, headers={"Retry-After": "0"}))
    with pytest.raises(lexic_sdk.ConflictError):
        client.query(WEATHER)
    assert sum(server.waits) == 120
    assert min(server.waits) >= 0.5  # and it is not asked without a pause


def test_retry_after_is_honoured(client: Lexic, server: Server):
    server.answers(error(429, Retry_After="7"), error(503, Retry_After="Thu, 01 Jan 1970 00:00:00 GMT"), ok())
    client.query(WEATHER)
    assert server.waits == [7.0, 0.0]


def test_a_wait_beyond_the_cap_is_left_to_the_caller(client: Lexic, server: Server):
    server.answers(error(429, Retry_After="3600"))
    with pytest.raises(RateLimitError) as raised:
        client.query(WEATHER)
    assert (raised.value.retry_after, server.waits, len(server.requests)) == (3600.0, [], 1)


def test_it_gives_up_after_two_more_attempts(client: Lexic, server: Server):
    server.answers(error(503))
    with pytest.raises(lexic_sdk.ProviderError):
        client.query(WEATHER)
    assert len(server.requests) == 3


def test_no_retries_when_there_are_to_be_none(server: Server):
    with httpx.Client(transport=httpx.MockTransport(server.answers(error(503)))) as http:
        lexic = Lexic(KEY, default_plugin="cover", max_retries=0, http_client=http, sleep=server.waits.append)
        with pytest.raises(lexic_sdk.ProviderError):
            lexic.query("?")
    assert (len(server.requests), server.waits) == (1, [])


@pytest.mark.parametrize("status", [400, 401, 403, 404, 500])
def test_what_will_not_pass_is_asked_once(client: Lexic, server: Server, status: int):
    server.answers(error(status))
    with pytest.raises(LexicError):
        client.query(WEATHER)
    assert len(server.requests) == 1


def test_a_cap_that_is_reached_is_not_tried_again(client: Lexic, server: Server):
    server.answers(httpx.Response(429, json={"error": "This plugin has spent 5.", "code": "spending_cap", "hint": ""}))
    with pytest.raises(RateLimitError):
        client.query(WEATHER)
    assert len(server.requests) == 1


def test_an_answer_that_does_not_come_in_time_is_not_asked_for_again(client: Lexic, server: Server):
    server.answers(httpx.ReadTimeout("x"))
    with pytest.raises(lexic_sdk.TimeoutError) as raised:
        client.query(WEATHER)
    assert isinstance(raised.value, builtins.TimeoutError)
    assert len(server.requests) == 1


def test_a_server_that_is_away_is_a_connection_error(client: Lexic, server: Server):
    server.answers(httpx.ConnectTimeout("x"))
    with pytest.raises(lexic_sdk.ConnectionError) as raised:
        client.query(WEATHER)
    assert isinstance(raised.value, builtins.ConnectionError)
    assert isinstance(raised.value.__cause__, httpx.ConnectTimeout)
    assert len(server.requests) == 3


# --- Clarifications, lists -----------------------------------------------------------------------------------


def test_a_clarification_is_answered_with_the_same_question_to_the_same_release(client: Lexic, server: Server):
    server.answers(ok(CLARIFY), ok())
    asked = client.query("Cover?", options={"maxSources": 3}, facts={"member": "beam"})
    assert asked.needs_clarification
    client.set_active_plugin("another")
    answered = client.answer_clarification(asked, "severe")
    assert answered.is_answered
    assert server.bodies[1] == {
        "plugin": "cover@1.2.0",
        "query": "Cover?",
        "options": {"maxSources": 3},
        "facts": {"member": "beam"},
        "followup": {"token": "t0ken", "answer": "severe"},
    }


def test_a_second_clarification_follows_on_the_first(client: Lexic, server: Server):
    second = {**CLARIFY, "clarification": {**CLARIFY["clarification"], "token": "t2"}}
    server.answers(ok(CLARIFY), ok(second), ok())
    asked = client.answer_clarification(client.query("Cover?"), "severe")
    client.answer_clarification(asked, True)
    assert [body.get("followup") for body in server.bodies] == [
        None,
        {"token": "t0ken", "answer": "severe"},
        {"token": "t2", "answer": True},
    ]


def test_a_server_without_releases_is_asked_by_the_plugin_of_the_question(client: Lexic, server: Server):
    server.answers(ok({**CLARIFY, "release": None}), ok())
    client.answer_clarification(client.query("Cover?", plugin="beams"), "severe")
    assert server.bodies[1]["plugin"] == "beams"


def test_what_asks_nothing_back_cannot_be_answered(client: Lexic, server: Server):
    server.answers(ok())
    with pytest.raises(lexic_sdk.InvalidRequestError, match="asks nothing back"):
        client.answer_clarification(client.query("?"), "severe")


def test_me_says_what_the_key_may_do(client: Lexic, server: Server):
    body = {
        "owner": "Alice",
        "capabilities": ["query"],
        "plugins": [{"slug": "cover"}],
        "limits": {"perMinute": 60},
    }
    server.answers(ok(body))
    me = client.me()
    assert server.requests[0].method == "GET"
    assert server.requests[0].url.path == "/api/v1/me"
    assert server.requests[0].content == b""
    assert (me.owner, me.can("query"), me.can("author")) == ("Alice", True, False)
    assert me.limits is not None
    assert me.limits.per_minute == 60
    assert [plugin.slug for plugin in me.plugins] == ["cover"]


def test_plugins_are_read_page_by_page_from_the_same_server(client: Lexic, server: Server):
    first = {"results": [{"slug": "cover"}], "next": "https://evil.example/api/marketplace?cursor=abc&limit=1"}
    server.answers(ok(first), ok({"results": [{"slug": "beams"}], "next": None}))
    assert [plugin.slug for plugin in client.plugins()] == ["cover", "beams"]
    assert str(server.requests[1].url) == "http://127.0.0.1:8000/api/marketplace?cursor=abc&limit=1"


def test_pages_without_end_come_to_one(client: Lexic, server: Server):
    server.answers(lambda request: ok({"results": [{"slug": "cover"}], "next": "?cursor=again"}))
    assert len(client.plugins()) == 100


def test_a_server_without_a_marketplace_says_so(client: Lexic, server: Server):
    server.answers(error(404))
    with pytest.raises(NotFoundError):
        client.plugins()


# --- Opening and closing -------------------------------------------------------------------------------------


def test_a_client_closes_what_it_opened_and_nothing_else():
    with httpx.Client() as http:
        with Lexic(KEY, http_client=http):
            pass
        assert not http.is_closed
    with Lexic(KEY) as lexic:
        own = lexic._http
    assert own.is_closed


def test_an_async_client_closes_what_it_opened():
    async def use() -> httpx.AsyncClient:
        async with AsyncLexic(KEY) as lexic:
            return lexic._http

    assert run(use()).is_closed


# --- Which request it was --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reply",
    [
        httpx.Response(401, content=b"<h1>No</h1>"),
        httpx.Response(302, headers={"Location": "https://elsewhere.example.org"}),
        httpx.Response(200, content=b"no JSON"),
        httpx.Response(500),
        httpx.Response(200, headers={"Content-Type": "text/event-stream"}, content=b'data: {"type": "delta"}\n\n'),
        httpx.Response(200, headers={"Content-Type": "text/event-stream"}, content=b'data: {"type": "error"}\n\n'),
        httpx.ReadTimeout("x"),
        httpx.ConnectError("x"),
    ],
)
def test_every_error_has_the_id_that_its_request_was_sent_with(client: Lexic, server: Server, reply: Any):
    """A proxy that answers for the server knows no id."""
    server.answers(reply)
    for ask in (client.query, client.query_stream_to_result):
        with pytest.raises(LexicError) as raised:
            ask("?")
        assert raised.value.request_id == server.requests[-1].headers["X-Request-Id"]


@pytest.mark.parametrize(
    "asked",
    [
        {"query": "half \ud83d"},
        {"query": "?", "facts": {"a": float("nan")}},
        {"query": "?", "facts": {"a": {1, 2}}},
        {"query": "?", "context": [{"role": "user", "content": "\udfff"}]},
        {"query": b"bytes"},
    ],
)
def test_what_cannot_be_sent_is_an_error_of_ours(client: Lexic, server: Server, asked: dict[str, Any]):
    for ask in (client.query, client.query_stream_to_result):
        with pytest.raises(lexic_sdk.InvalidRequestError, match="cannot be written as JSON") as raised:
            ask(**asked)
        assert raised.value.hint
    assert server.requests == []
