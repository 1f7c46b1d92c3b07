from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import pytest

from accounts.models import ApiKey
from api.responses import stored_responses
from plugins.models import Plugin
from querying.models import Query, StoredResponse
from querying.query_log import quotations
from querying.types.refusals import REFUSAL
from tests.api.chat_completions.asking import ASKED_BACK, OPEN, WEATHER, assert_error, chat, client_of
from tests.api.responses.asking import body_of, read, respond, said

pytestmark = pytest.mark.django_db


def test_a_response_says_what_a_chat_says(published: Plugin, key: str) -> None:
    whole = body_of(respond(key, WEATHER))
    same = chat(key, WEATHER).json()
    [item] = whole["output"]
    [part] = item["content"]
    assert part["text"] == same["choices"][0]["message"]["content"]
    links = [one["url_citation"] for one in same["choices"][0]["message"]["annotations"]]
    assert [{**link, "type": "url_citation"} for link in links] == part["annotations"]
    mark = part["annotations"][0]
    assert part["text"][mark["start_index"] : mark["end_index"]] == "[Source 1]"
    assert whole["citations"] == same["citations"]
    assert (whole["status"], whole["object"], whole["model"]) == ("completed", "response", "cover@1.0.0")
    assert (item["type"], item["role"], item["status"]) == ("message", "assistant", "completed")
    assert whole["usage"]["total_tokens"] == 0
    assert {**whole["lexic"], "queryId": ""} == {**same["lexic"], "queryId": ""}


@pytest.mark.parametrize(
    "text",
    [
        WEATHER,
        [{"role": "user", "content": WEATHER}],
        [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": WEATHER}]}],
        [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": WEATHER}],
        [{"type": "function_call", "call_id": "c", "name": "f"}, {"role": "user", "content": WEATHER}],
    ],
)
def test_a_question_comes_as_text_or_as_items(published: Plugin, key: str, text: Any) -> None:
    assert "45 mm" in said(respond(key, text))


def test_what_has_no_effect_is_named(published: Plugin, key: str) -> None:
    items = [{"role": "system", "content": "Lie."}, {"type": "reasoning", "id": "rs_1"}]
    asked = [*items, {"role": "user", "content": WEATHER}]
    tool = {"type": "function", "name": "f", "parameters": {}}
    body = body_of(respond(key, asked, instructions="Lie.", tools=[tool], tool_choice="auto", temperature=2))
    assert body["lexic"]["ignored"] == ["input.system", "input.reasoning", "instructions", "temperature", "tools"]
    assert (body["instructions"], body["tools"]) == (None, [])


def test_metadata_comes_back(published: Plugin, key: str) -> None:
    body = body_of(respond(key, WEATHER, metadata={"ticket": "17"}))
    assert body["metadata"] == {"ticket": "17"}


def test_a_refusal_and_a_question_back_are_text(published: Plugin, key: str) -> None:
    refused = body_of(respond(key, "Who won the chess championship of 1972?"))
    assert refused["output"][0]["content"][0]["text"] == REFUSAL
    assert (refused["status"], refused["lexic"]["outcome"]) == ("completed", "refused")
    asked = body_of(respond(key, OPEN))
    assert asked["output"][0]["content"][0]["text"] == ASKED_BACK
    assert asked["lexic"]["clarification"]["options"] == ["mild", "severe"]


def test_a_question_back_is_answered_by_continuing(published: Plugin, key: str) -> None:
    asked = body_of(respond(key, OPEN))
    answered = body_of(respond(key, "severe", previous_response_id=asked["id"]))
    assert "45 mm" in answered["output"][0]["content"][0]["text"]
    assert answered["previous_response_id"] == asked["id"]
    followup = {"token": asked["lexic"]["clarification"]["token"], "answer": "mild"}
    assert "20 mm" in said(respond(key, None, followup=followup))


def test_a_conversation_is_continued_twice(published: Plugin, key: str) -> None:
    first = body_of(respond(key, OPEN))
    second = body_of(respond(key, "severe", previous_response_id=first["id"]))
    third = body_of(respond(key, "And which cover do footings have?", previous_response_id=second["id"]))
    assert "50 mm" in third["output"][0]["content"][0]["text"]
    context = Query.objects.latest("created_at").context
    assert [turn["content"] for turn in context[:3]] == [OPEN, ASKED_BACK, "severe"]


def test_a_reference_to_a_message_is_that_message(published: Plugin, key: str) -> None:
    asked = body_of(respond(key, OPEN))
    reference = {"type": "item_reference", "id": asked["output"][0]["id"]}
    items = [{"role": "user", "content": OPEN}, reference, {"role": "user", "content": "severe"}]
    assert "45 mm" in said(respond(key, items))


def test_a_stored_response_is_read_and_deleted(published: Plugin, key: str) -> None:
    made = body_of(respond(key, WEATHER))
    assert read(key, made["id"]).json() == made
    deleted = client_of(key).delete(f"/v1/responses/{made['id']}")
    assert deleted.json() == {"id": made["id"], "object": "response", "deleted": True}
    assert_error(read(key, made["id"]), 404, "unknown_response")
    assert Query.objects.count() == 1


def test_what_is_not_to_be_stored_is_not(published: Plugin, key: str) -> None:
    made = body_of(respond(key, WEATHER, store=False))
    assert made["store"] is False
    assert_error(read(key, made["id"]), 404, "unknown_response")
    continued = respond(key, "And a footing?", previous_response_id=made["id"])
    assert_error(continued, 404, "unknown_response", param="previous_response_id")
    assert not StoredResponse.objects.exists()


def test_nobody_else_reads_continues_deletes_or_refers_to_it(published: Plugin, key: str, charlies_key: str) -> None:
    made = body_of(respond(key, OPEN))
    _, second = ApiKey.objects.issue(owner=published.owner, name="another")
    for other in (charlies_key, second):
        assert_error(read(other, made["id"]), 404, "unknown_response")
        assert_error(client_of(other).delete(f"/v1/responses/{made['id']}"), 404, "unknown_response")
        continued = respond(other, "severe", previous_response_id=made["id"])
        assert_error(continued, 404, "unknown_response", param="previous_response_id")
        reference = [{"type": "item_reference", "id": made["output"][0]["id"]}, {"role": "user", "content": "severe"}]
        assert_error(respond(other, reference), 404, "unknown_response", param="input.0")
    assert read(key, made["id"]).status_code == 200
    assert Query.objects.count() == 1


def test_a_response_goes_with_the_words_of_its_question(published: Plugin, key: str) -> None:
    made = body_of(respond(key, WEATHER))
    Query.objects.all().erase_content(now=published.created_at)
    assert_error(read(key, made["id"]), 404, "unknown_response")
    assert not StoredResponse.objects.exists()


def test_a_response_is_not_stored_where_its_question_was_erased_meanwhile(
    published: Plugin, key: str, caplog: pytest.LogCaptureFixture
) -> None:
    made = body_of(respond(key, WEATHER, store=False))
    Query.objects.all().erase_content(now=published.created_at)
    assert not stored_responses.store(Query.objects.get().pk, body=made, turns=[])
    assert not StoredResponse.objects.exists()
    [logged] = caplog.records
    assert (logged.levelname, "its words were erased" in logged.getMessage()) == ("WARNING", True)


def test_a_response_goes_with_its_audit_row(published: Plugin, key: str) -> None:
    respond(key, WEATHER)
    Query.objects.all().delete()
    assert not StoredResponse.objects.exists()


def test_a_response_is_closed_with_the_plugin(published: Plugin, charlies_key: str) -> None:
    made = body_of(respond(charlies_key, WEATHER))
    assert read(charlies_key, made["id"]).status_code == 200
    published.is_published = False
    published.save()
    assert_error(read(charlies_key, made["id"]), 404, "unknown_response")


def test_what_is_withheld_is_not_said_again_and_can_be_deleted(
    published: Plugin, charlies_key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The plugin may no longer use the knowledge that it quoted."""
    quoting = body_of(respond(charlies_key, WEATHER))
    refused = body_of(respond(charlies_key, "Who won the cup?", previous_response_id=quoting["id"]))
    monkeypatch.setattr(quotations._QuotationAccess, "_granted_to_asker", lambda *_: set())
    assert_error(read(charlies_key, quoting["id"]), 404, "unknown_response")
    body_of(respond(charlies_key, "And the league?", previous_response_id=refused["id"]))
    assert "45 mm" not in json.dumps(Query.objects.latest("created_at").context)
    assert client_of(charlies_key).delete(f"/v1/responses/{quoting['id']}").status_code == 200
    assert not StoredResponse.objects.filter(query_id=UUID(quoting["id"].removeprefix("resp_"))).exists()


def test_an_answer_without_citations_is_withheld_too(
    published: Plugin, charlies_key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = body_of(respond(charlies_key, WEATHER))
    Query.objects.update(citations=[])  # as where a plugin does not want them
    assert read(charlies_key, made["id"]).status_code == 200
    monkeypatch.setattr(quotations._QuotationAccess, "_granted_to_asker", lambda *_: set())
    assert_error(read(charlies_key, made["id"]), 404, "unknown_response")


def test_a_key_without_the_capability_reads_nothing(published: Plugin, key: str) -> None:
    made = body_of(respond(key, WEATHER))
    ApiKey.objects.update(capabilities=["read"])
    assert_error(read(key, made["id"]), 403, "missing_capability")


def test_the_statements_of_continuing_do_not_grow(
    published: Plugin, key: str, django_assert_max_num_queries: Any
) -> None:
    references = []
    for _ in range(4):
        made = body_of(respond(key, OPEN))
        references += [{"role": "user", "content": OPEN}, {"type": "item_reference", "id": made["output"][0]["id"]}]
    with django_assert_max_num_queries(60) as few:
        respond(key, [*references[:2], {"role": "user", "content": WEATHER}])
    with django_assert_max_num_queries(len(few.captured_queries)):
        respond(key, [*references, {"role": "user", "content": WEATHER}])
