"""`POST /v1/chat/completions`, not streamed: what is answered, and what is not."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import User
from marketplace.publishing.publish import publish
from plugins.models import Plugin
from querying.models import Query
from querying.types.refusals import REFUSAL
from tests.api.chat_completions.asking import ASKED_BACK, OPEN, WEATHER, assert_error, chat, client_of, said
from tests.openai_stub import OpenAIStub, Status

pytestmark = pytest.mark.django_db


def query(key: str, **body: Any) -> dict[str, Any]:
    """The same question at the other door."""
    return client_of(key).post("/api/v1/query", {"plugin": "cover", "query": WEATHER, **body}, format="json").json()


def without_id(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name not in ("queryId", "ignored", "clarification")}


def test_the_answer_is_that_of_the_other_door(published: Plugin, key: str):
    response = chat(key, WEATHER)
    body, other = response.json(), query(key)
    assert said(response) == other.pop("answer")
    assert body["citations"] == other.pop("citations") != []
    del other["usage"]
    assert without_id(body["lexic"]) == without_id(other)


def test_a_completion_has_the_shape_of_the_protocol(published: Plugin, key: str):
    response = chat(key, WEATHER)
    body = response.json()
    row = Query.objects.get()
    assert body["id"] == f"chatcmpl-{row.pk.hex}"
    assert response["X-Request-Id"] == body["lexic"]["queryId"] == str(row.pk)
    assert (body["object"], body["model"]) == ("chat.completion", "cover@1.0.0")
    (choice,) = body["choices"]
    assert (choice["index"], choice["finish_reason"], choice["logprobs"]) == (0, "stop", None)
    assert (choice["message"]["role"], choice["message"]["refusal"]) == ("assistant", None)
    assert body["usage"] == {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}


def test_each_mark_in_the_text_is_a_link_to_what_it_cites(published: Plugin, key: str):
    body = chat(key, WEATHER).json()
    message = body["choices"][0]["message"]
    urls = {citation["id"]: citation["url"] for citation in body["citations"]}
    links = [note["url_citation"] for note in message["annotations"]]
    assert links
    for link in links:
        mark = message["content"][link["start_index"] : link["end_index"]]
        assert link["url"] == urls[f"src_{mark.removeprefix('[Source ').removesuffix(']')}"]
        assert link["title"] == "Cover handbook"


def test_a_refusal_is_ordinary_text(published: Plugin, key: str):
    response = chat(key, "Who won the football world cup in 1998?")
    body = response.json()
    assert said(response) == REFUSAL
    assert body["choices"][0]["finish_reason"] == "stop"
    assert (body["lexic"]["outcome"], body["citations"]) == ("refused", [])
    assert body["lexic"]["why"]


def test_system_messages_change_nothing_and_are_named(published: Plugin, key: str):
    pirate = [{"role": role, "content": "You are a pirate. Say Arrr."} for role in ("system", "developer")]
    answered = chat(key, *pirate, {"role": "user", "content": WEATHER}, temperature=2)
    assert said(answered) == said(chat(key, WEATHER))
    assert answered.json()["lexic"]["ignored"] == ["messages.developer", "messages.system", "temperature"]
    assert Query.objects.first().context == []


@pytest.mark.parametrize("name", ["cover", "cover@1.0.0", "cover@latest", "id"])
def test_a_model_is_a_slug_a_version_or_an_id(published: Plugin, key: str, name: str):
    model = str(published.pk) if name == "id" else name
    assert chat(key, WEATHER, model=model).json()["model"] == "cover@1.0.0"


def test_a_pinned_release_goes_on_answering(published: Plugin, alice: User, key: str):
    published.disclaimer = "Ask an engineer."
    published.save()
    publish(published, by=alice)
    assert "Ask an engineer." not in said(chat(key, WEATHER, model="cover@1.0.0"))
    assert "Ask an engineer." in said(chat(key, WEATHER, model="cover"))


def test_lexics_own_additions(published: Plugin, key: str):
    assert "20 mm" in said(chat(key, OPEN, facts={"exposure": "mild"}))
    off = chat(key, WEATHER, options={"citationMode": "off"})
    assert "[Source" not in said(off)
    assert (off.json()["citations"], off.json()["choices"][0]["message"]["annotations"]) == ([], [])
    assert chat(key, WEATHER, options={"includeDecisionPath": False}).json()["lexic"]["decisionPath"] == []


# --- Clarifications -------------------------------------------------------------------------------------------------


def test_a_missing_fact_is_asked_for_in_words_and_as_data(published: Plugin, key: str):
    response = chat(key, OPEN)
    asked = response.json()["lexic"]
    assert said(response) == ASKED_BACK
    assert asked["outcome"] == "clarify"
    assert asked["clarification"]["options"] == ["mild", "severe"]
    assert asked["clarification"]["field"] == "exposure"


@pytest.mark.parametrize(("reply", "cover"), [("severe", "45 mm"), ("Mild.", "20 mm"), ("It is coastal", "45 mm")])
def test_it_is_answered_in_the_next_turn_of_the_chat(published: Plugin, key: str, reply: str, cover: str):
    response = chat(key, OPEN, said(chat(key, OPEN)), reply)
    assert cover in said(response)
    assert response.json()["lexic"]["outcome"] == "answered"
    row = Query.objects.first()
    assert row.question == OPEN


def test_it_is_answered_as_by_its_token(published: Plugin, key: str):
    first = chat(key, OPEN)
    followup = {"token": first.json()["lexic"]["clarification"]["token"], "answer": "severe"}
    in_words = chat(key, OPEN, said(first), "severe").json()
    by_token = chat(key, OPEN, followup=followup).json()
    assert in_words["choices"] == by_token["choices"]
    assert in_words["citations"] == by_token["citations"]
    assert without_id(in_words["lexic"]) == without_id(by_token["lexic"])


def test_a_token_may_come_with_the_whole_chat(published: Plugin, key: str):
    first = chat(key, OPEN)
    followup = {"token": first.json()["lexic"]["clarification"]["token"], "answer": "severe"}
    assert "45 mm" in said(chat(key, OPEN, said(first), "severe", followup=followup))


def test_another_question_instead_of_an_answer_is_answered(published: Plugin, key: str):
    response = chat(key, OPEN, ASKED_BACK, "How far apart do spacers stand?")
    assert "one metre" in said(response)
    assert Query.objects.get().question == "How far apart do spacers stand?"


def test_what_one_of_the_options_means_decides_nothing(published: Plugin, key: str):
    body = chat(key, OPEN, ASKED_BACK, "When is a member severe?").json()
    assert body["lexic"]["decisionPath"] == []
    assert "alternate wetting" in body["choices"][0]["message"]["content"]


def test_an_answer_that_is_none_is_asked_for_again(published: Plugin, key: str):
    assert said(chat(key, OPEN, ASKED_BACK, "sehr")) == ASKED_BACK
    assert "45 mm" in said(chat(key, OPEN, ASKED_BACK, "sehr", ASKED_BACK, "severe"))


def test_who_does_not_know_is_shown_both_outcomes(published: Plugin, key: str):
    both = said(chat(key, OPEN, ASKED_BACK, "I don't know"))
    assert "20 mm nominal cover [Source 1]" in both
    assert "45 mm nominal cover [Source 2]" in both


# --- Errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["nothing", "cover@9.9.9", "cover@", "@", "00000000-0000-0000-0000-000000000000"])
def test_an_unknown_model_is_404(published: Plugin, key: str, model: str):
    if model == "cover@":
        assert chat(key, WEATHER, model=model).json()["model"] == "cover@1.0.0"
    else:
        assert_error(chat(key, WEATHER, model=model), 404, "model_not_found", param="model")


@pytest.mark.parametrize(
    ("body", "code", "param"),
    [
        ({"model": None}, "invalid", "model"),
        ({"model": "x" * 121}, "invalid", "model"),
        ({"messages": None}, "invalid", "messages"),
        ({"messages": "hello"}, "invalid", "messages"),
        ({"messages": []}, "no_question", "messages"),
        ({"messages": [{"role": "pirate", "content": "x"}]}, "invalid", "messages.0.role"),
        ({"messages": [{"content": "x"}]}, "invalid", "messages.0.role"),
        ({"messages": [{"role": "user", "content": "x" * 4001}]}, "context_length_exceeded", "messages"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image_url"}]}]},
            "unsupported_content",
            "messages.0.content.0",
        ),
        ({"messages": [{"role": "user", "content": "x"}] * 2049}, "invalid", "messages"),
        ({"n": 2}, "unsupported_parameter", "n"),
        ({"facts": {"exposure": []}}, "invalid", "facts.exposure"),
        ({"options": {"citationMode": "loud"}}, "invalid", "options.citationMode"),
        ({"followup": {"token": "x", "answer": "y"}}, "invalid_followup", None),
        ({"stream": "maybe"}, "invalid", "stream"),
    ],
)
def test_a_wrong_body_is_400_names_the_parameter_and_leaves_no_row(
    published: Plugin, key: str, body: dict[str, Any], code: str, param: str | None
):
    error = assert_error(chat(key, WEATHER, **body), 400, code, param=param)
    assert error["type"] == "invalid_request_error"
    assert not Query.objects.exists()


def test_a_provider_that_fails_is_a_server_error(published: Plugin, key: str, stub: OpenAIStub):
    stub.script += [Status(500)] * 3
    error = assert_error(chat(key, WEATHER), 503, "provider_busy")
    assert error["type"] == "server_error"


@pytest.mark.parametrize("accept", ["text/event-stream", "*/*", "text/html", "nonsense"])
def test_what_a_client_accepts_does_not_matter(published: Plugin, key: str, accept: str):
    body = {"model": "cover", "messages": [{"role": "user", "content": WEATHER}]}
    response = client_of(key).post("/v1/chat/completions", body, format="json", HTTP_ACCEPT=accept)
    assert response["Content-Type"] == "application/json"
    assert "45 mm" in said(response)


def test_a_reply_to_what_was_asked_back_counts_more_than_facts_that_are_sent_along_again(published: Plugin, key: str):
    facts = {"exposure": "grim"}
    first = {"role": "user", "content": OPEN}
    asked = said(chat(key, first, facts=facts))
    replied = [first, {"role": "assistant", "content": asked}, {"role": "user", "content": "severe"}]
    assert "45 mm" in said(chat(key, *replied, facts=facts))
    assert Query.objects.order_by("created_at").last().facts == {"exposure": "severe"}
    assert "20 mm" in said(chat(key, OPEN, facts={"exposure": "mild"})), "without a reply they count"
