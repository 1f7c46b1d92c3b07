"""A plugin as an agent: messages, tasks, what is asked back, streams, and errors in the protocol's form."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.cache import cache
from rest_framework.test import APIClient

from accounts.models import ApiKey, User
from api.models import A2ATask
from plugins.models import Plugin
from querying.models import Query
from querying.query_log import quotations
from tests.api.a2a.calling import (
    BEAM,
    CHESS,
    WEATHER,
    call,
    data_of,
    error,
    message,
    result,
    send,
    streamed,
    text_of,
)
from tests.openai_stub import OpenAIStub, Status
from tests.servers import stub

__all__ = ["stub"]
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _published(published: Plugin) -> None:
    """Each test asks it."""


def test_an_answer_is_a_completed_task_with_its_text_and_its_citations(key: str) -> None:
    task = send(key, WEATHER)
    [artifact] = task["artifacts"]
    data = data_of(artifact["parts"])
    row = Query.objects.get()
    assert task["status"]["state"] == "TASK_STATE_COMPLETED"
    assert "45 mm" in text_of(artifact["parts"])
    assert data["citations"][0]["document"] == "Cover handbook"
    assert (data["outcome"], data["queryId"], artifact["name"]) == ("answered", str(row.pk), "answer")
    assert (row.question, row.api_key and row.api_key.owner.email) == (WEATHER, "alice@example.org")
    assert task["history"][0]["parts"] == [{"text": WEATHER}]
    assert task["id"] == str(row.pk)


def test_a_refusal_is_said_to_be_one(key: str) -> None:
    task = send(key, CHESS)
    [artifact] = task["artifacts"]
    data = data_of(artifact["parts"])
    assert (task["status"]["state"], artifact["name"]) == ("TASK_STATE_COMPLETED", "refusal")
    assert (data["outcome"], data["citations"]) == ("refused", [])
    assert data["why"]
    assert text_of(artifact["parts"]).startswith("I don't have verified information")


def test_a_missing_fact_is_asked_for_and_the_answer_continues_the_task(key: str) -> None:
    asked = send(key, BEAM)
    told = asked["status"]["message"]
    assert (asked["status"]["state"], "artifacts" in asked) == ("TASK_STATE_INPUT_REQUIRED", False)
    assert "How is the member exposed?" in text_of(told["parts"])
    clarification = data_of(told["parts"])["clarification"]
    assert clarification == {
        "question": "How is the member exposed?",
        "options": ["mild", "severe"],
        "field": "exposure",
    }
    answered = send(key, "severe", taskId=asked["id"], contextId=asked["contextId"])
    assert (answered["id"], answered["contextId"]) == (asked["id"], asked["contextId"])
    assert answered["status"]["state"] == "TASK_STATE_COMPLETED"
    assert "45 mm" in text_of(answered["artifacts"][0]["parts"])
    assert Query.objects.count() == 2
    by_data = send(key, BEAM)
    known = send(key, data={"facts": {"exposure": "mild"}}, taskId=by_data["id"])
    assert "20 mm" in text_of(known["artifacts"][0]["parts"])


@pytest.mark.parametrize("facts", ["severe", ["severe"], 7])
def test_facts_without_names_are_refused(key: str, facts: Any) -> None:
    asked = send(key, BEAM)
    for more in ({}, {"taskId": asked["id"]}):
        _, code = error(call(key, "SendMessage", message(BEAM, data={"facts": facts}, **more)))
        assert code == "invalid"


def test_facts_and_options_come_in_a_data_part(key: str) -> None:
    task = send(key, BEAM, data={"facts": {"exposure": "mild"}, "options": {"includeDecisionPath": False}})
    assert "20 mm" in text_of(task["artifacts"][0]["parts"])
    assert data_of(task["artifacts"][0]["parts"])["decisionPath"] == []


def test_data_parts_count_together_and_two_values_of_one_fact_are_refused(key: str) -> None:
    def said(*data: Any) -> Any:
        asked = message(BEAM)
        asked["message"]["parts"] += [{"data": one} for one in data]
        return call(key, "SendMessage", asked)

    mild = {"facts": {"exposure": "mild"}, "options": {"includeDecisionPath": False}}
    task = result(said(mild, {"facts": {"colour": "red"}}, {"options": {"maxSources": 2}}, mild))["task"]
    row = Query.objects.get(pk=task["id"])
    assert row.facts == {"exposure": "mild"}
    assert data_of(task["artifacts"][0]["parts"])["decisionPath"] == []
    assert error(said(mild, {"facts": {"exposure": "severe"}}))[1] == "invalid"
    assert error(said(mild, {"options": {"includeDecisionPath": True}}))[1] == "invalid"


def test_messages_of_one_context_are_a_conversation(key: str) -> None:
    first = send(key, WEATHER, contextId="talk-1")
    second = send(key, "And in mild exposure?", contextId="talk-1")
    assert (first["contextId"], second["contextId"]) == ("talk-1", "talk-1")
    assert first["id"] != second["id"]
    row = Query.objects.get(pk=second["id"])
    assert row.context[0]["content"] == WEATHER
    assert "20 mm" in text_of(second["artifacts"][0]["parts"])


def test_the_contexts_of_two_people_stay_two_where_addresses_are_redacted(key: str, settings: Any) -> None:
    settings.REDACT_QUESTIONS = True
    mine, other = "ann@example.org", "bob@example.org"
    first = send(key, WEATHER, contextId=mine)
    assert Query.objects.get(pk=send(key, "And in mild exposure?", contextId=other)["id"]).context == []
    stored = A2ATask.objects.get(pk=first["id"]).context_id
    assert "ann" not in stored
    for named in (mine, stored):
        again = send(key, "And in mild exposure?", contextId=named)
        assert Query.objects.get(pk=again["id"]).context[0]["content"] == WEATHER
    assert {task["contextId"] for task in result(call(key, "ListTasks", {"contextId": mine}))["tasks"]} == {stored}


def test_a_stream_begins_with_the_task_and_ends_with_its_status(key: str) -> None:
    events = streamed(call(key, "SendStreamingMessage", message(WEATHER)))
    kinds = [kind for event in events for kind in event]
    assert (kinds[0], kinds[-1]) == ("task", "statusUpdate")
    assert events[0]["task"]["status"]["state"] == "TASK_STATE_WORKING"
    assert events[-1]["statusUpdate"]["status"]["state"] == "TASK_STATE_COMPLETED"
    said = [event["artifactUpdate"] for event in events if "artifactUpdate" in event]
    assert [one["append"] for one in said] == [False] + [True] * (len(said) - 1)
    assert [one["lastChunk"] for one in said] == [False] * (len(said) - 1) + [True]
    whole = send(key, WEATHER)["artifacts"][0]["parts"]
    assert "".join(text_of(one["artifact"]["parts"]) for one in said) == text_of(whole)
    assert data_of(said[-1]["artifact"]["parts"])["citations"] == data_of(whole)["citations"]
    assert {(event[kind].get("taskId") or event[kind]["id"]) for event in events for kind in event} == {
        events[0]["task"]["id"]
    }


def test_a_streamed_refusal_and_question_have_their_words(key: str) -> None:
    *_, refusal, ended = streamed(call(key, "SendStreamingMessage", message(CHESS)))
    assert text_of(refusal["artifactUpdate"]["artifact"]["parts"]).startswith("I don't have verified information")
    assert ended["statusUpdate"]["status"]["state"] == "TASK_STATE_COMPLETED"
    *_, asked = streamed(call(key, "SendStreamingMessage", message(BEAM)))
    status = asked["statusUpdate"]["status"]
    assert status["state"] == "TASK_STATE_INPUT_REQUIRED"
    assert "How is the member exposed?" in text_of(status["message"]["parts"])
    task_id = asked["statusUpdate"]["taskId"]
    *_, data, done = streamed(call(key, "SendStreamingMessage", message("severe", taskId=task_id)))
    assert done["statusUpdate"]["taskId"] == task_id
    assert data_of(data["artifactUpdate"]["artifact"]["parts"])["outcome"] == "answered"


def test_a_model_that_fails_is_a_failed_task(key: str, stub: OpenAIStub) -> None:
    stub.script += [Status(500)] * 6  # the client tries each three times
    task = send(key, WEATHER)
    told = task["status"]["message"]["parts"]
    assert (task["status"]["state"], data_of(told)["code"]) == ("TASK_STATE_FAILED", "provider_busy")
    *_, ended = streamed(call(key, "SendStreamingMessage", message(WEATHER)))
    assert ended["statusUpdate"]["status"]["state"] == "TASK_STATE_FAILED"
    assert result(call(key, "GetTask", {"id": task["id"]}))["status"]["state"] == "TASK_STATE_FAILED"


def test_a_task_is_read_again_listed_and_cancelled(key: str) -> None:
    done, asked = send(key, WEATHER), send(key, BEAM, contextId="talk-2")
    read = result(call(key, "GetTask", {"id": done["id"]}))
    assert text_of(read["artifacts"][0]["parts"]) == text_of(done["artifacts"][0]["parts"])
    assert data_of(read["artifacts"][0]["parts"])["citations"] == data_of(done["artifacts"][0]["parts"])["citations"]
    assert result(call(key, "GetTask", {"id": asked["id"]}))["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"
    assert error(call(key, "CancelTask", {"id": done["id"]})) == (-32002, "task_not_cancelable")
    assert result(call(key, "CancelTask", {"id": asked["id"]}))["status"]["state"] == "TASK_STATE_CANCELED"
    assert error(call(key, "SendMessage", message("severe", taskId=asked["id"]))) == (-32004, "unsupported_operation")
    assert error(call(key, "SubscribeToTask", {"id": done["id"]})) == (-32004, "unsupported_operation")

    def listed(**params: Any) -> tuple[list[str], str]:
        page = result(call(key, "ListTasks", params))
        assert page["totalSize"] >= len(page["tasks"])
        return [task["id"] for task in page["tasks"]], page["nextPageToken"]

    assert listed() == ([asked["id"], done["id"]], "")
    assert listed(pageSize=1) == ([asked["id"]], "1")
    assert listed(pageSize=1, pageToken="1") == ([done["id"]], "")
    assert listed(contextId="talk-2") == ([asked["id"]], "")
    assert listed(status="TASK_STATE_CANCELED") == ([asked["id"]], "")
    assert listed(status="TASK_STATE_COMPLETED") == ([done["id"]], "")
    assert listed(statusTimestampAfter="2999-01-01T00:00:00Z") == ([], "")


def test_a_task_is_nobody_elses_and_goes_with_its_words(key: str, alice: User, charlies_key: str) -> None:
    task = send(key, BEAM)
    _, other = ApiKey.objects.issue(owner=alice, name="other", capabilities=["query"])
    for secret in (other, charlies_key):
        assert error(call(secret, "GetTask", {"id": task["id"]})) == (-32001, "task_not_found")
        assert error(call(secret, "CancelTask", {"id": task["id"]})) == (-32001, "task_not_found")
        assert error(call(secret, "SendMessage", message("severe", taskId=task["id"])))[0] == -32001
        assert result(call(secret, "ListTasks"))["tasks"] == []
    row = Query.objects.get()
    Query.objects.all().erase_content(now=row.created_at)
    assert error(call(key, "GetTask", {"id": task["id"]})) == (-32001, "task_not_found")
    row.delete()
    assert not A2ATask.objects.exists()


def test_a_task_of_a_plugin_that_is_closed_to_the_key_is_gone(charlies_key: str) -> None:
    task = send(charlies_key, WEATHER)
    assert result(call(charlies_key, "GetTask", {"id": task["id"]}))["artifacts"]
    Plugin.objects.update(is_published=False)
    assert error(call(charlies_key, "GetTask", {"id": task["id"]}), status=404) == (-32000, "unknown_plugin")


def test_what_the_plugin_may_no_longer_quote_is_not_said_again(
    charlies_key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = send(charlies_key, WEATHER, contextId="talk-3")
    monkeypatch.setattr(quotations._QuotationAccess, "_granted_to_asker", lambda *_: set())
    read = result(call(charlies_key, "GetTask", {"id": task["id"]}))
    assert text_of(read["artifacts"][0]["parts"]) == quotations.WITHHELD_TEXT
    cited = data_of(read["artifacts"][0]["parts"])["citations"]
    assert {(one["isWithheld"], one["excerpt"]) for one in cited} == {(True, "")}
    send(charlies_key, "And who won the cup?", contextId="talk-3")
    assert "45 mm" not in str(Query.objects.latest("created_at").context)


WRONG: list[tuple[Any, int, str]] = [
    ([], -32600, "invalid_request"),
    ({"id": 7}, -32600, "invalid_request"),
    ({"jsonrpc": "1.0", "id": 7, "method": "SendMessage"}, -32600, "invalid_request"),
    ({"jsonrpc": "2.0", "id": 7, "method": "Dance"}, -32601, "method_not_found"),
    ({"jsonrpc": "2.0", "id": 7, "method": "SendMessage", "params": []}, -32602, "invalid"),
    ({"jsonrpc": "2.0", "id": 7, "method": "SendMessage"}, -32602, "invalid"),
    ({"jsonrpc": "2.0", "id": 7, "method": "GetTask"}, -32602, "invalid"),
    ({"jsonrpc": "2.0", "id": 7, "method": "GetTask", "params": {"id": "x"}}, -32001, "task_not_found"),
    ({"jsonrpc": "2.0", "id": 7, "method": "ListTasks", "params": {"pageSize": 1000}}, -32602, "invalid"),
    ({"jsonrpc": "2.0", "id": 7, "method": "ListTasks", "params": {"pageToken": "x"}}, -32602, "invalid"),
    ({"jsonrpc": "2.0", "id": 7, "method": "ListTasks", "params": {"statusTimestampAfter": "x"}}, -32602, "invalid"),
    ({"jsonrpc": "2.0", "id": 7, "method": "GetExtendedAgentCard"}, -32007, "extended_agent_card_not_configured"),
    (
        {"jsonrpc": "2.0", "id": 7, "method": "CreateTaskPushNotificationConfig"},
        -32003,
        "push_notification_not_supported",
    ),
]
WRONG_MESSAGES: list[tuple[Any, int, str]] = [
    ({"message": "hello"}, -32602, "invalid"),
    ({"message": {"parts": []}}, -32602, "invalid"),
    ({"message": {"role": "ROLE_AGENT", "parts": [{"text": "?"}]}}, -32602, "invalid"),
    ({"message": {"parts": [{"text": "  "}]}}, -32602, "invalid"),
    ({"message": {"parts": [{"text": "x" * 4001}]}}, -32602, "invalid"),
    ({"message": {"parts": [{"raw": "AAAA"}]}}, -32005, "content_type_not_supported"),
    ({"message": {"parts": [{"url": "https://example.org/a.pdf"}]}}, -32005, "content_type_not_supported"),
    ({"message": {"parts": ["hello"]}}, -32005, "content_type_not_supported"),
    ({"message": {"parts": [{"text": "?"}, {"data": {"plugin": "other"}}]}}, -32602, "invalid"),
    ({"message": {"parts": [{"text": "?"}, {"data": {"facts": []}}]}}, -32602, "invalid"),
    ({"message": {"parts": [{"text": "?"}], "contextId": "x" * 129}}, -32602, "invalid"),
    ({"message": {"parts": [{"text": "?"}], "taskId": 7}}, -32602, "invalid"),
    ({"message": {"parts": [{"text": "?"}], "taskId": "nothing"}}, -32001, "task_not_found"),
    (
        {"message": {"parts": [{"text": "?"}]}, "configuration": {"acceptedOutputModes": ["image/png"]}},
        -32005,
        "content_type_not_supported",
    ),
]


def test_what_is_wrong_is_an_error_of_the_protocol_and_nothing_is_asked(key: str) -> None:
    client = APIClient(headers={"Authorization": f"Bearer {key}"})
    for body, number, code in WRONG:
        response = client.post("/a2a/cover", body, format="json")
        expected_status = 200 if isinstance(body, dict) else 400
        assert error(response, status=expected_status) == (number, code), body
        assert response.json()["id"] == (7 if isinstance(body, dict) else None)
    for method in ("SendMessage", "SendStreamingMessage"):
        for params, number, code in WRONG_MESSAGES:
            assert error(call(key, method, params)) == (number, code), params
    broken = client.post("/a2a/cover", b"{", content_type="application/json")
    assert error(broken, status=400) == (-32700, "invalid_json")
    null = client.post("/a2a/cover", b'{"jsonrpc": "2.0", "id": "\\u0000"}', content_type="application/json")
    assert error(null, status=400) == (-32602, "invalid_text")
    assert not Query.objects.exists()


@pytest.mark.parametrize(
    "params",
    [
        {"status": ["TASK_STATE_COMPLETED"]},
        {"status": {"a": 1}},
        {"status": 7},
        {"statusTimestampAfter": "2024-02-30T00:00:00Z"},
        {"statusTimestampAfter": "2024-02-28T25:00:00Z"},
        {"statusTimestampAfter": "2024-02-28T12:00:00"},
        {"statusTimestampAfter": 7},
        {"pageSize": 10**30},
        {"pageToken": ["1"]},
    ],
    ids=str,
)
def test_a_list_of_tasks_by_what_cannot_be_is_refused(key: str, params: dict[str, Any]) -> None:
    assert error(call(key, "ListTasks", params)) == (-32602, "invalid")


def test_tasks_are_listed_from_any_time_on(key: str) -> None:
    send(key, BEAM)
    for since, found in (("0001-01-01T00:00:00+14:00", 1), ("9999-12-31T23:59:59-14:00", 0)):
        assert result(call(key, "ListTasks", {"statusTimestampAfter": since}))["totalSize"] == found


def test_a_task_stays_in_its_context(key: str) -> None:
    task = send(key, BEAM)
    other = call(key, "SendMessage", message("severe", taskId=task["id"], contextId="another"))
    assert error(other) == (-32602, "invalid")


def test_the_header_names_a_revision_that_is_spoken(key: str) -> None:
    for version in ("1.0", "1.0.0", ""):
        result(call(key, "ListTasks", **{"A2A-Version": version}))
    for version in ("0.3", "2.0", "new"):
        assert error(call(key, "ListTasks", **{"A2A-Version": version})) == (-32009, "version_not_supported")


def test_who_asks_is_decided_before(key: str, alice: User, charlies_key: str, published: Plugin) -> None:
    body = {"jsonrpc": "2.0", "id": 7, "method": "SendMessage", "params": message(WEATHER)}
    nobody = APIClient().post("/a2a/cover", body, format="json")
    assert error(nobody, status=401) == (-32000, "not_authenticated")
    assert nobody["WWW-Authenticate"].startswith("Bearer")
    assert error(call("lx_wrong", "ListTasks"), status=401)[1] == "not_authenticated"
    _, reader = ApiKey.objects.issue(owner=alice, name="reader", capabilities=["read"])
    assert error(call(reader, "ListTasks"), status=403)[1] == "missing_capability"
    assert error(call(key, "ListTasks", agent="nothing"), status=404)[1] == "unknown_plugin"
    Plugin.objects.update(is_published=False)
    assert error(call(charlies_key, "ListTasks"), status=404)[1] == "unknown_plugin"
    assert not Query.objects.exists()


def test_a_limit_that_is_used_up_is_an_error_that_says_how_long(alice: User) -> None:
    cache.clear()
    _, secret = ApiKey.objects.issue(owner=alice, name="slow", capabilities=["query"], per_minute=1)
    send(secret, WEATHER)
    spent = call(secret, "SendMessage", message(WEATHER))
    assert error(spent) == (-32000, "rate_limited")
    assert int(spent["Retry-After"]) > 0
    assert spent["X-RateLimit-Remaining"] == "0"
    assert spent.json()["error"]["message"].startswith("Too many requests. Try again in ")


def test_revision_03_has_its_own_names_and_shapes(key: str) -> None:
    def old(method: str, params: Any) -> Any:
        return call(key, method, params, **{"A2A-Version": "0.3"})

    def sent(text: str, **fields: Any) -> dict[str, Any]:
        parts = [{"kind": "text", "text": text}]
        return {"message": {"kind": "message", "messageId": "m", "role": "user", "parts": parts, **fields}}

    asked = result(old("message/send", sent(BEAM)))
    assert (asked["kind"], asked["status"]["state"]) == ("task", "input-required")
    assert [part["kind"] for part in asked["status"]["message"]["parts"]] == ["text", "data"]
    answered = result(old("message/send", sent("severe", taskId=asked["id"])))
    assert (answered["id"], answered["status"]["state"]) == (asked["id"], "completed")
    assert "45 mm" in answered["artifacts"][0]["parts"][0]["text"]
    events = streamed(old("message/stream", sent(WEATHER)))
    assert [events[0]["kind"], events[-1]["kind"]] == ["task", "status-update"]
    assert [event.get("final") for event in events if event["kind"] == "status-update"][-1] is True
    assert {event["kind"] for event in events} == {"task", "status-update", "artifact-update"}
    assert result(old("tasks/get", {"id": asked["id"]}))["status"]["state"] == "completed"
    file = {"message": {"role": "user", "parts": [{"kind": "file", "file": {"uri": "https://example.org/a.pdf"}}]}}
    assert error(old("message/send", file)) == (-32005, "content_type_not_supported")
    assert error(call(key, "message/send", sent(WEATHER), **{"A2A-Version": "1.0"}))[0] == -32009
