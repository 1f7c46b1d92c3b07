"""Questions to a client's user in the revisions with a handshake: in a session, on the stream of the call."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest

from accounts.models import ApiKey, User
from api.mcp import session_questions
from lexic.redis_cache import redis_client
from plugins.models import Plugin
from querying.models import Query
from tests.api.mcp.clients import UNCLEAR, until
from tests.api.mcp.test_http import assert_refused, message, post

pytestmark = pytest.mark.django_db(transaction=True)

REVISIONS = ("2025-06-18", "2025-11-25")
FORMS = ({"elicitation": {}}, {"elicitation": {"form": {}}})
ASK = message("tools/call", name="ask_expert", arguments={"plugin": "cover", "question": UNCLEAR})


def hello(revision: str, capabilities: dict[str, Any]) -> dict[str, Any]:
    info = {"name": "test", "version": "1"}
    return message("initialize", protocolVersion=revision, capabilities=capabilities, clientInfo=info)


def open_session(server: str, key: str, *, revision: str = REVISIONS[0]) -> str:
    response = post(server, key, hello(revision, FORMS[0]), revision=revision)
    assert response.status_code == 200
    return response.headers["mcp-session-id"]


@contextmanager
def call_that_asks(server: str, key: str, session: str, revision: str = REVISIONS[0]) -> Iterator[Iterator[Any]]:
    """The messages on the stream of a call that lacks a fact."""
    headers = {
        "Authorization": f"Bearer {key}",
        "Accept": "application/json, text/event-stream",
        "Mcp-Session-Id": session,
        "MCP-Protocol-Version": revision,
    }
    with (
        httpx2.Client(trust_env=False, timeout=60, headers=headers) as client,
        client.stream("POST", f"{server}/mcp", json=ASK) as response,
    ):
        assert response.status_code == 200
        yield (json.loads(line[6:]) for line in response.iter_lines() if line.startswith("data: {"))


def accepted(question: Any, answer: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"exposure": answer}}}


def send(server: str, key: str, session: str, body: Any, revision: str = REVISIONS[0]) -> httpx2.Response:
    return post(server, key, body, revision=revision, **{"Mcp-Session-Id": session})


@pytest.mark.parametrize("revision", REVISIONS)
def test_the_question_comes_on_the_stream_and_the_answer_in_a_request_of_its_own(
    published: Plugin, server: str, key: str, revision: str
) -> None:
    session = open_session(server, key, revision=revision)
    with call_that_asks(server, key, session, revision) as messages:
        question = next(messages)
        assert question["method"] == "elicitation/create"
        assert question["params"]["message"] == "How is the member exposed?"
        assert question["params"]["requestedSchema"]["properties"]["exposure"]["enum"] == ["mild", "severe"]
        took = send(server, key, session, accepted(question, "severe"), revision)
        assert (took.status_code, took.content) == (202, b"")
        answer = next(messages)
    assert answer["id"] == ASK["id"]
    assert "45 mm" in answer["result"]["structuredContent"]["answer"]
    assert_refused(send(server, key, session, accepted(question, "mild"), revision), 400, "unknown_question")
    assert not list(redis_client().scan_iter("lexic:mcp-question:*"))


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-03-26", *REVISIONS])
@pytest.mark.parametrize("capabilities", [*FORMS, {"elicitation": {"url": {}}}, {}, {"elicitation": None}])
def test_only_who_can_ask_their_user_gets_a_session(
    server: str, key: str, revision: str, capabilities: dict[str, Any]
) -> None:
    response = post(server, key, hello(revision, capabilities), revision=revision)
    can_ask = revision in REVISIONS and capabilities in FORMS
    assert ("mcp-session-id" in response.headers) == can_ask


def test_nobody_else_answers_the_question(published: Plugin, server: str, key: str, charlies_key: str) -> None:
    session, other = open_session(server, key), open_session(server, key)
    theirs = open_session(server, charlies_key)
    with call_that_asks(server, key, session) as messages:
        question = next(messages)
        assert_refused(send(server, charlies_key, session, accepted(question, "mild")), 404, "unknown_session")
        for stranger, named in ((charlies_key, theirs), (key, other)):
            assert_refused(send(server, stranger, named, accepted(question, "mild")), 400, "unknown_question")
        for invented in (None, 1, "x", [1], {"a": 1}, "\x00"):
            refused = send(server, key, session, accepted({"id": invented}, "mild"))
            assert_refused(refused, 400, "unknown_question")
        assert send(server, key, session, accepted(question, "severe")).status_code == 202
        assert "45 mm" in next(messages)["result"]["structuredContent"]["answer"]


@pytest.mark.parametrize("named", ["x", "a:b:c", b"\xc3\xa9", "%00", "WyJ4Il0:1:x", "x" * 4000])
def test_a_session_that_was_never_opened_is_unknown(server: str, key: str, named: Any) -> None:
    assert_refused(send(server, key, named, message("tools/list")), 404, "unknown_session")


@pytest.mark.parametrize(
    "reply",
    [
        {"result": {"action": "decline"}},
        {"result": {"action": "cancel"}},
        {"result": {"action": "accept", "content": {"exposure": "severe" * 20}}},
        {"result": {"action": "accept", "content": {"exposure": {"a": 1}}}},
        {"result": "severe"},
        {"result": None},
        {"error": {"code": -32603, "message": "no"}},
    ],
)
def test_without_an_answer_that_can_be_used_the_model_gets_the_question(
    published: Plugin, server: str, key: str, reply: dict[str, Any]
) -> None:
    session = open_session(server, key)
    with call_that_asks(server, key, session) as messages:
        for told in messages:
            if "method" not in told:
                break
            assert send(server, key, session, {"jsonrpc": "2.0", "id": told["id"], **reply}).status_code == 202
    assert told["result"]["structuredContent"]["outcome"] == "clarify"


def test_after_a_while_nobody_is_waited_for(published: Plugin, server: str, key: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(session_questions, "WAIT_SECONDS", 1)
    with call_that_asks(server, key, open_session(server, key)) as messages:
        assert next(messages)["method"] == "elicitation/create"
        assert next(messages)["result"]["structuredContent"]["outcome"] == "clarify"


def test_while_redis_is_away_the_model_gets_the_question(
    published: Plugin, server: str, key: str, monkeypatch: Any
) -> None:
    session = open_session(server, key)
    monkeypatch.setattr(session_questions, "_ask_redis", lambda work, *, instead: instead)
    with call_that_asks(server, key, session) as messages:
        assert next(messages)["result"]["structuredContent"]["outcome"] == "clarify"


def test_a_key_that_was_revoked_meanwhile_learns_nothing(published: Plugin, server: str, key: str) -> None:
    session = open_session(server, key)
    with call_that_asks(server, key, session) as messages:
        question = next(messages)
        ApiKey.objects.get().revoke()
        session_questions.take_answer(accepted(question, "severe"), session=_read(session))
        told = next(messages)["result"]
    assert told["isError"]
    assert told["_meta"]["lexic/error"]["code"] == "not_authenticated"
    assert Query.objects.count() == 1


def _read(session: str) -> session_questions.Session:
    from django.core import signing

    key_id, number = signing.loads(session, salt="lexic.mcp.session")
    return session_questions.Session(key_id=key_id, number=number)


def test_each_question_to_the_expert_counts(published: Plugin, server: str, alice: User) -> None:
    secret = ApiKey.objects.issue(owner=alice, name="limited", per_minute=1)[1]
    session = open_session(server, secret)
    with call_that_asks(server, secret, session) as messages:
        assert send(server, secret, session, accepted(next(messages), "severe")).status_code == 202
        assert next(messages)["result"]["_meta"]["lexic/error"]["code"] == "rate_limited"


def test_who_hangs_up_leaves_nothing_behind(published: Plugin, server: str, key: str) -> None:
    session = open_session(server, key)
    with call_that_asks(server, key, session) as messages:
        question = next(messages)
    until(lambda: not list(redis_client().scan_iter("lexic:mcp-question:*")))
    assert_refused(send(server, key, session, accepted(question, "severe")), 400, "unknown_question")
