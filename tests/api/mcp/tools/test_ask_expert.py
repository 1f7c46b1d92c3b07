"""`ask_expert` over HTTP, by the official client."""

from __future__ import annotations

from copy import deepcopy
from functools import partial
from typing import Any

import anyio
import httpx2
import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone
from mcp import Client
from mcp.shared.exceptions import MCPError

from accounts.models import ApiKey, User
from marketplace.publishing.publish import publish
from plugins.models import Plugin
from querying.models import Query
from querying.types.refusals import REFUSAL
from tests.api.mcp.clients import (
    CURRENT,
    PREVIOUS,
    UNCLEAR,
    WEATHER,
    Person,
    call,
    data_of,
    error_of,
    http_client,
    links_of,
    over_http,
    refusal,
    text_of,
    until,
)
from tests.cover import TREE
from tests.openai_stub import OpenAIStub, SlowStream, Status
from trees.models import DecisionTree

pytestmark = pytest.mark.django_db(transaction=True)

both = pytest.mark.parametrize("mode", [CURRENT, PREVIOUS])
SEVERE = "For severe exposure the nominal cover of a beam is 45 mm [Source 1]. "


def rest(server: str, key: str, **body: Any) -> dict[str, Any]:
    with httpx2.Client(trust_env=False, timeout=60, headers={"Authorization": f"Bearer {key}"}) as client:
        return client.post(f"{server}/api/v1/query", json={"plugin": "cover", **body}).json()


def by_forms(server: str, key: str, person: Person, *, mode: str, **more: Any) -> Any:
    asked = {"plugin": "cover", "question": UNCLEAR, **more}
    ask = partial(Client.call_tool, name="ask_expert", arguments=asked)
    return over_http(server, key, ask, mode=mode, elicitation_callback=person)


@both
def test_the_data_is_the_json_of_the_rest_door(published: Plugin, server: str, key: str, mode: str):
    ours = data_of(call(server, key, "ask_expert", mode=mode, plugin="cover", question=WEATHER))
    theirs = rest(server, key, query=WEATHER)
    assert ours | {"queryId": ""} == theirs | {"queryId": ""}
    assert set(Query.objects.values_list("api_key", flat=True)) == {ApiKey.objects.get().pk}


@both
def test_the_text_has_marks_and_sources_and_each_source_can_be_opened(
    published: Plugin, server: str, key: str, mode: str
):
    async def use(client):
        answered = await client.call_tool("ask_expert", {"plugin": "cover", "question": WEATHER})
        links = links_of(answered)
        return answered, [await client.read_resource(link.uri) for link in links]

    answered, opened = over_http(server, key, use, mode=mode)
    assert "[Source 1]" in text_of(answered).split("Sources:")[0]
    assert "[Source 1] Cover handbook" in text_of(answered).split("Sources:")[1]
    cited = data_of(answered)["citations"]
    assert [link.name for link in links_of(answered)] == [one["id"] for one in cited]
    assert [one["excerpt"] in resource.contents[0].text for one, resource in zip(cited, opened, strict=True)] == [True]


@both
def test_a_refusal_is_a_result_and_no_error(published: Plugin, server: str, key: str, mode: str):
    refused = call(server, key, "ask_expert", mode=mode, plugin="cover", question="Who won the war of the roses?")
    assert data_of(refused)["outcome"] == "refused"
    assert data_of(refused)["reason"] == "no_evidence"
    assert text_of(refused).startswith(REFUSAL)
    assert not links_of(refused)


def test_a_refusal_quotes_the_closest_sentence_to_a_key_that_may_read_its_page(
    published: Plugin, server: str, alice: User, charlie: User
):
    for owner, may_read in ((alice, True), (charlie, False)):
        key = ApiKey.objects.issue(owner=owner, name="reader", capabilities=["query", "read"])[1]
        asked = "What does a spacer of mortar cost in Norway?"
        refused = call(server, key, "ask_expert", plugin="cover", question=asked)
        assert data_of(refused)["nearest"]
        assert ("Spacers made of mortar hold" in text_of(refused)) == may_read
        assert any("excerpt" in place for place in data_of(refused)["nearest"]) == may_read


def test_options_context_and_facts_arrive(published: Plugin, server: str, key: str):
    asked = {"plugin": "cover", "question": UNCLEAR, "facts": {"exposure": "mild"}}
    options = {"citationMode": "off", "includeDecisionPath": False}
    answered = data_of(call(server, key, "ask_expert", **asked, options=options))
    assert "20 mm" in answered["answer"]
    assert (answered["citations"], answered["decisionPath"]) == ([], [])


def test_the_time_zone_of_the_asker_is_an_option(published: Plugin, server: str, key: str):
    asked = {"plugin": "cover", "question": WEATHER}
    answered = call(server, key, "ask_expert", **asked, options={"timezone": "Europe/Oslo"})
    assert data_of(answered)["outcome"] == "answered"
    assert Query.objects.get().options["timezone"] == "Europe/Oslo"
    refused = call(server, key, "ask_expert", **asked, options={"timezone": "Mars/Olympus"})
    assert "There is no such time zone." in text_of(refused)


def test_an_object_that_comes_as_a_string_is_read(published: Plugin, server: str, key: str):
    answered = call(server, key, "ask_expert", plugin="cover", question=UNCLEAR, facts='{"exposure": "mild"}')
    assert "20 mm" in data_of(answered)["answer"]


# --- A missing fact ---------------------------------------------------------------------------------------


@both
def test_a_client_with_forms_is_asked_for_the_missing_fact(published: Plugin, server: str, key: str, mode: str):
    person = Person("severe")
    answered = by_forms(server, key, person, mode=mode)
    assert "45 mm" in data_of(answered)["answer"]
    (form,) = person.asked
    assert form.message == "How is the member exposed?"
    assert form.requested_schema["properties"]["exposure"]["enum"] == ["mild", "severe"]
    assert form.requested_schema["required"] == ["exposure"]
    assert list(Query.objects.order_by("created_at").values_list("outcome", flat=True)) == ["clarify", "answered"]


def test_on_the_wire_the_call_ends_with_input_required_and_a_sealed_state(published: Plugin, server: str, key: str):
    async def use(client):
        return await client.session.call_tool(
            "ask_expert", {"plugin": "cover", "question": UNCLEAR}, allow_input_required=True
        )

    asked = over_http(server, key, use, elicitation_callback=Person())
    assert asked.result_type == "input_required"
    assert list(asked.input_requests) == ["fact"]
    assert "exposure" not in asked.request_state


@both
def test_a_user_who_declines_leaves_the_question_to_the_model(published: Plugin, server: str, key: str, mode: str):
    person = Person(None)
    left = by_forms(server, key, person, mode=mode)
    assert data_of(left)["outcome"] == "clarify"
    assert Query.objects.count() == 1  # the expert was not asked again


@both
def test_an_answer_that_is_none_of_the_options_is_asked_again(published: Plugin, server: str, key: str, mode: str):
    person = Person("purple", "mild")
    answered = by_forms(server, key, person, mode=mode)
    assert "20 mm" in data_of(answered)["answer"]
    assert len(person.asked) == 2


@both
def test_a_user_is_told_what_was_wrong_and_asked_twice_at_most(published: Plugin, server: str, key: str, mode: str):
    person = Person("purple", "green", "red")
    left = by_forms(server, key, person, mode=mode)
    assert data_of(left)["outcome"] == "clarify"
    question = "How is the member exposed?"
    assert [form.message for form in person.asked] == [question, f"That answer is not one of the choices. {question}"]


@both
def test_facts_of_the_call_do_not_take_back_what_its_user_answers(
    plugin: Plugin, alice: User, server: str, key: str, mode: str
):
    tree = DecisionTree.objects.get()
    support = {"text": "How is it supported?", "options": ["simply", "fixed"], "extractFrom": "support"}
    leads_to = dict.fromkeys(support["options"], "cover_severe")
    node = {"id": "support", "type": "question", "label": "Support", "question": support, "childrenByAnswer": leads_to}
    nodes = deepcopy(TREE["nodes"]) | {"support": node}
    nodes["exposure_check"]["childrenByAnswer"]["severe"] = "support"
    tree.tree_data = {**TREE, "nodes": nodes}
    tree.save()
    publish(plugin, by=alice)
    person = Person("severe", "fixed")
    answered = by_forms(server, key, person, mode=mode, facts={"exposure": "purple"})
    assert "45 mm" in data_of(answered)["answer"]
    assert [list(form.requested_schema["properties"]) for form in person.asked] == [["exposure"], ["support"]]
    row = Query.objects.order_by("created_at").last()
    assert row is not None
    assert row.facts == {"exposure": "severe", "support": "fixed"}


def test_the_answer_goes_to_the_release_that_asked(published: Plugin, server: str, key: str, alice: User):
    class Slow(Person):
        """Answers when a newer release is out."""

        async def __call__(self, context: Any, params: Any) -> Any:
            published.system_prompt = "You are another engineer."
            await published.asave()
            await sync_to_async(publish)(published, by=alice)
            return await super().__call__(context, params)

    asked = {"plugin": "cover", "question": UNCLEAR}
    answered = over_http(
        server, key, lambda client: client.call_tool("ask_expert", asked), elicitation_callback=Slow("severe")
    )
    assert data_of(answered)["release"] == "cover@1.0.0"
    assert "45 mm" in data_of(answered)["answer"]
    assert published.releases.count() == 2


def test_the_state_of_another_key_is_refused(published: Plugin, server: str, key: str, charlies_key: str):
    asked = {"plugin": "cover", "question": UNCLEAR}

    async def ask(client):
        return await client.session.call_tool("ask_expert", asked, allow_input_required=True)

    state = over_http(server, key, ask, elicitation_callback=Person()).request_state

    async def steal(client):
        with pytest.raises(MCPError, match="requestState"):
            await client.session.call_tool("ask_expert", asked, request_state=state, allow_input_required=True)

    over_http(server, charlies_key, steal, elicitation_callback=Person())


@both
def test_without_forms_the_question_is_a_result_and_its_token_answers_it(
    published: Plugin, server: str, key: str, mode: str
):
    asked = call(server, key, "ask_expert", mode=mode, plugin="cover", question=UNCLEAR)
    clarification = data_of(asked)["clarification"]
    assert clarification["options"] == ["mild", "severe"]
    assert "How is the member exposed?\n- mild\n- severe" in text_of(asked)
    followup = {"token": clarification["token"], "answer": "severe"}
    answered = call(server, key, "ask_expert", mode=mode, plugin="cover", followup=followup)
    assert "45 mm" in data_of(answered)["answer"]


# --- On the way -------------------------------------------------------------------------------------------


@both
def test_progress_is_told_to_who_wants_to_know(published: Plugin, server: str, key: str, mode: str):
    told: list[tuple[float, float | None, str | None]] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async def use(client):
        return await client.call_tool(
            "ask_expert", {"plugin": "cover", "question": WEATHER}, progress_callback=on_progress
        )

    over_http(server, key, use, mode=mode)
    assert [progress for progress, _, _ in told] == [1, 2, 3, 4, 5, 6]
    assert {total for _, total, _ in told} == {6}
    assert told[0][2] == "Reading the question"


def test_a_cancelled_call_stops_the_model_and_leaves_one_abandoned_row(
    published: Plugin, server: str, key: str, stub: OpenAIStub
):
    stub.answer = lambda request: SEVERE * 200
    stub.script.append(SlowStream(0.05))

    async def use(client):
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "ask_expert", {"plugin": "cover", "question": WEATHER})
            while not stub.calls:
                await anyio.sleep(0.05)
            group.cancel_scope.cancel()

    over_http(server, key, use)
    assert stub.wait_for_disconnect()
    until(lambda: list(Query.objects.values_list("outcome", flat=True)) == ["abandoned"])


def test_a_previous_client_that_hangs_up_stops_the_model(published: Plugin, server: str, key: str, stub: OpenAIStub):
    stub.answer = lambda request: SEVERE * 200
    stub.script.append(SlowStream(0.05))
    headers = {
        "Authorization": f"Bearer {key}",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-06-18",
    }
    params = {"name": "ask_expert", "arguments": {"plugin": "cover", "question": WEATHER}}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    client = httpx2.Client(trust_env=False, timeout=60, headers=headers)
    with client, client.stream("POST", f"{server}/mcp", json=request) as response:
        assert response.status_code == 200
        until(lambda: stub.calls)
    assert stub.wait_for_disconnect()
    until(lambda: list(Query.objects.values_list("outcome", flat=True)) == ["abandoned"])


def test_two_clients_at_once_get_their_own_answers(published: Plugin, server: str, key: str, charlies_key: str):
    async def one(who: str, exposure: str, answers: dict[str, Any]) -> None:
        async with http_client(server, who) as client:
            for _ in range(3):
                asked = {"plugin": "cover", "question": UNCLEAR, "facts": {"exposure": exposure}}
                answers.setdefault(exposure, []).append(data_of(await client.call_tool("ask_expert", asked)))

    async def run() -> dict[str, Any]:
        answers: dict[str, Any] = {}
        async with anyio.create_task_group() as group:
            group.start_soon(one, key, "mild", answers)
            group.start_soon(one, charlies_key, "severe", answers)
        return answers

    answers = anyio.run(run)
    assert ["20 mm" in one["answer"] for one in answers["mild"]] == [True] * 3
    assert ["45 mm" in one["answer"] for one in answers["severe"]] == [True] * 3
    assert (
        sorted(Query.objects.values_list("api_key__owner__display_name", flat=True)) == ["Alice"] * 3 + ["Charlie"] * 3
    )


# --- What goes wrong --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        ({"plugin": "nothing", "question": "x"}, "unknown_plugin", "No plugin of this name"),
        ({"plugin": "cover@9.9.9", "question": "x"}, "unknown_release", "no release"),
        ({"plugin": "cover"}, "invalid", "question is missing"),
        ({"plugin": "cover", "question": " "}, "invalid", "question is missing"),
        ({"plugin": "cover", "question": "x" * 4001}, "invalid", "question"),
        ({"plugin": "cover", "qestion": "x"}, "invalid", "qestion"),
        ({"plugin": "cover", "question": "x", "facts": {"a": [1]}}, "invalid", "facts"),
        ({"plugin": "cover", "question": "x", "options": {"filters": {"no": 1}}}, "invalid_filter", "filter"),
        ({"plugin": "cover", "followup": {"token": "x", "answer": "y"}}, "invalid_followup", "token"),
    ],
)
def test_what_is_wrong_is_told_in_our_words(
    published: Plugin, server: str, key: str, arguments: dict[str, Any], code: str, error: str
):
    told = error_of(call(server, key, "ask_expert", **arguments))
    assert (told["code"], set(told)) == (code, {"error", "code", "hint"})
    assert error in told["error"]


def test_a_provider_that_fails_is_an_error_without_its_words(
    published: Plugin, server: str, key: str, stub: OpenAIStub
):
    stub.script += [Status(500, message="secret of the provider")] * 3
    failed = call(server, key, "ask_expert", plugin="cover", question=WEATHER)
    assert error_of(failed)["code"].startswith("provider")
    assert "secret" not in str(failed)


def test_an_unforeseen_error_is_told_by_a_number(published: Plugin, server: str, key: str, monkeypatch):
    monkeypatch.setattr("api.mcp.handlers.ask_expert.parse_question", lambda *args, **kwargs: 1 / 0)
    failed = call(server, key, "ask_expert", plugin="cover", question=WEATHER)
    assert error_of(failed)["code"] == "internal"
    assert "division" not in str(failed)
    assert "Traceback" not in str(failed)


def test_a_tool_that_does_not_exist_is_an_error_of_the_protocol(published: Plugin, server: str, key: str):
    assert "no tool" in refusal(server, key, "delete_everything").message


def test_text_that_cannot_be_stored_is_refused_at_the_door(published: Plugin, server: str, key: str):
    told = error_of(call(server, key, "ask_expert", plugin="cover", question="x\x00"))
    assert told["code"] == "invalid_text"


def test_a_key_that_may_not_ask_is_told_so(published: Plugin, server: str, alice: User):
    _, secret = ApiKey.objects.issue(owner=alice, name="looks only", capabilities=["read"])
    told = error_of(call(server, secret, "ask_expert", plugin="cover", question=WEATHER))
    assert told["code"] == "missing_capability"
    assert "query" in told["hint"]


def test_a_revoked_key_is_out_at_once(published: Plugin, server: str, key: str):
    data_of(call(server, key, "list_experts"))
    ApiKey.objects.update(revoked_at=timezone.now())
    assert refusal(server, key, "list_experts").data["code"] == "not_authenticated"
