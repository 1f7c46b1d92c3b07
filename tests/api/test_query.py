from __future__ import annotations

import time
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from accounts import rate_limits
from accounts.models import ApiKey, User
from lexic.concurrency import ConcurrencyLimit
from plugins.models import Plugin
from querying import admission
from querying.models import Query
from querying.question import caller_access

pytestmark = pytest.mark.django_db

WEATHER = "What is the minimum cover for a beam exposed to weather?"


def post(key: str, **body: Any):
    client = APIClient()
    if key:
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {key}")
    return client.post("/api/v1/query", {"plugin": "cover", "query": WEATHER, **body}, format="json")


def assert_error(response, status: int, code: str) -> None:
    assert response.status_code == status
    assert response["Content-Type"] == "application/json"
    body = response.json()
    assert set(body) == {"error", "code", "hint"}
    assert body["code"] == code
    assert body["error"]


@pytest.mark.parametrize("name", ["/api/query", "/api/knowledge-base", "/api/query/", "/api/knowledge-base/"])
def test_lx_096_the_names_of_the_diagram_lead_nowhere(published: Plugin, key: str, name: str):
    """Those of the chapter on the API stand: `/api/v1/query`, and the documents of a plugin."""
    client = APIClient(headers={"authorization": f"Bearer {key}"})
    for response in (client.post(name, {"plugin": "cover", "query": WEATHER}, format="json"), client.get(name)):
        assert_error(response, 404, "not_found")


def test_lx_096_the_names_of_the_chapter_on_the_api_stand(published: Plugin, key: str, alice: User):
    asked = post(key)
    assert (asked.status_code, asked.json()["outcome"]) == (200, "answered")
    client = APIClient()
    client.force_login(alice)
    documents = client.get(f"/api/plugins/{published.pk}/documents")
    assert [one["title"] for one in documents.json()["results"]] == ["Cover handbook"]


def test_lx_078_the_answer_has_the_keys_of_the_specification(published: Plugin, key: str):
    response = post(key)
    assert response.status_code == 200
    body = response.json()
    assert {"answer", "citations", "decisionPath", "confidence", "pluginVersion"} <= set(body)
    assert body["pluginVersion"] == "1.0.0"
    assert body["outcome"] == "answered"
    assert body["release"] == "cover@1.0.0"
    assert body["queryId"] == str(Query.objects.get().pk)


def test_a_citation_has_the_keys_of_the_specification_and_no_made_up_page(published: Plugin, key: str):
    citation = post(key).json()["citations"][0]
    assert {"id", "document", "section", "excerpt", "documentId", "start", "end", "url", "score"} == set(citation)
    assert citation["id"] == "src_1"
    assert citation["document"] == "Cover handbook"


def test_the_decision_path_has_numbered_steps_with_string_values(published: Plugin, key: str):
    path = post(key).json()["decisionPath"]
    assert path == [
        {"step": 1, "node": "exposure_check", "label": "Exposure condition?", "value": "severe"},
        {"step": 2, "node": "cover_severe", "label": "Cover in severe exposure", "result": "45 mm nominal cover"},
    ]


def test_lx_083_the_decision_path_can_be_left_out(published: Plugin, key: str):
    assert post(key, options={"includeDecisionPath": False}).json()["decisionPath"] == []


def test_citations_off_strips_marks_and_gives_the_array_only_when_asked(published: Plugin, key: str):
    off = post(key, options={"citationMode": "off"}).json()
    assert "[Source" not in off["answer"]
    assert off["citations"] == []
    assert post(key, options={"citationMode": "off", "includeCitations": True}).json()["citations"]


def test_an_answer_takes_ten_statements_and_a_key_is_refused_as_soon_as_it_is_revoked(
    published: Plugin, alice: User, django_assert_num_queries: Any, monkeypatch: pytest.MonkeyPatch
):
    """The key, the release, what it may read and the figures of the words for "spacers", which the tokenizer does not
    know; then, once more, what it may read, whether that has templates, candidates, passages, their token
    states, and the row. What may be asked for a list costs one more: whether the section goes on elsewhere."""
    agent, secret = ApiKey.objects.issue(owner=alice, name="agent", plugins=[published])
    ApiKey.objects.filter(pk=agent.pk).update(last_used_at=timezone.now())
    monkeypatch.setattr(caller_access, "CHECK_SECONDS", 60.0)  # asked again of answers that take longer
    savepoints = 2  # around the row: tests have a transaction already
    with django_assert_num_queries(10 + savepoints):
        assert post(secret, query="What are spacers made of?").json()["outcome"] == "answered"
    with django_assert_num_queries(11 + savepoints):
        assert post(secret, query="How do I place spacers?").json()["outcome"] == "answered"
    agent.revoke()
    assert_error(post(secret), 401, "not_authenticated")


def test_a_key_opens_no_plugin_that_was_taken_from_its_list(published: Plugin, alice: User):
    agent, secret = ApiKey.objects.issue(owner=alice, name="agent", plugins=[published])
    assert post(secret).status_code == 200
    agent.limits.update(plugin=None)  # as when the plugin is gone
    assert_error(post(secret), 404, "unknown_plugin")


@pytest.mark.parametrize(
    ("misspelt", "guess"),
    [
        ("maxsources", "Did you mean maxSources? "),
        ("max_sources", "Did you mean maxSources? "),
        ("citation_mode", "Did you mean citationMode? "),
        ("facts", ""),
    ],
)
def test_an_option_that_nobody_knows_is_refused_and_the_known_ones_are_named(
    published: Plugin, key: str, misspelt: str, guess: str
):
    response = post(key, options={misspelt: 1})
    assert (response.status_code, response.json()["code"]) == (400, "invalid")
    assert response.json()["error"] == (
        f"options.{misspelt}: This is not known here. {guess}Known are: "
        "citationMode, maxSources, includeDecisionPath, includeCitations, asOf, filters, timezone."
    )
    assert not Query.objects.exists()


def test_what_a_client_keeps_in_the_turns_of_a_conversation_does_not_stop_it(published: Plugin, key: str):
    turn = {"role": "user", "content": "Hello.", "id": "turn-1"}
    assert post(key, context=[turn]).json()["outcome"] == "answered"


def test_lx_083_max_sources_caps_what_is_read(published: Plugin, key: str):
    post(key, options={"maxSources": 1})
    assert len(Query.objects.get().passages) == 1


def test_a_clarification_in_the_context_is_answered_by_the_next_question(published: Plugin, key: str):
    first = "What is the nominal cover of a beam?"
    asked = post(key, query=first).json()["answer"]
    turns = [{"role": "user", "content": first}, {"role": "assistant", "content": asked}]
    body = post(key, query="the second one", context=turns).json()
    assert body["outcome"] == "answered"
    assert "45 mm" in body["answer"]


def test_a_clarification_is_answered_by_its_token(published: Plugin, key: str):
    asked = post(key, query="What is the nominal cover of a beam?").json()
    assert asked["outcome"] == "clarify"
    assert asked["clarification"]["options"] == ["mild", "severe"]
    token = asked["clarification"]["token"]
    followup = {"token": token, "answer": "severe"}
    answered = post(key, query="What is the nominal cover of a beam?", followup=followup).json()
    assert answered["outcome"] == "answered"
    assert "45 mm" in answered["answer"]


def test_a_token_carries_the_question_for_a_caller_that_kept_nothing(published: Plugin, key: str):
    token = post(key, query="What is the nominal cover of a beam?").json()["clarification"]["token"]
    assert "20 mm" in post(key, query="", followup={"token": token, "answer": "mild"}).json()["answer"]


def test_a_token_of_another_key_is_refused(published: Plugin, key: str, charlies_key: str):
    token = post(key, query="What is the nominal cover of a beam?").json()["clarification"]["token"]
    response = post(
        charlies_key, query="What is the nominal cover of a beam?", followup={"token": token, "answer": "mild"}
    )
    assert_error(response, 400, "invalid_followup")


@pytest.mark.parametrize("name", ["cover", "cover@1.0.0"])
def test_a_token_opens_nothing_once_the_plugin_is_closed(published: Plugin, charlies_key: str, name: str):
    token = post(charlies_key, query="What is the nominal cover of a beam?").json()["clarification"]["token"]
    published.unpublish()
    response = post(charlies_key, plugin=name, query="", followup={"token": token, "answer": "mild"})
    assert_error(response, 404, "unknown_plugin")


def test_a_token_for_another_question_is_refused(published: Plugin, key: str):
    token = post(key, query="What is the nominal cover of a beam?").json()["clarification"]["token"]
    assert_error(post(key, query=WEATHER, followup={"token": token, "answer": "mild"}), 400, "invalid_followup")


def test_every_answer_names_its_row_in_a_header(published: Plugin, key: str, monkeypatch: pytest.MonkeyPatch):
    answered = post(key)
    assert answered["X-Request-Id"] == answered.json()["queryId"]
    assert post(key, stream=True)["X-Request-Id"]
    monkeypatch.setattr("querying.pipeline.retriever.retrieve", lambda question: 1 / 0)
    failed = post(key)
    assert (failed.status_code, failed["X-Request-Id"]) == (500, str(Query.objects.get(outcome="failed").pk))
    assert failed["X-Request-Id"] in failed.json()["hint"]


@pytest.mark.parametrize("secret", ["", "lx_wrong", "lx_" + "a" * 43, "lx_' OR 1=1 --", "x" * 100_000])
def test_no_key_or_a_wrong_one_is_401(published: Plugin, secret: str):
    response = post(secret)
    assert response.status_code == 401
    assert response["WWW-Authenticate"].startswith("Bearer")
    assert set(response.json()) == {"error", "code", "hint"}


def test_a_revoked_or_expired_key_and_an_inactive_owner_are_401(published: Plugin, alice: User):
    revoked, revoked_secret = ApiKey.objects.issue(owner=alice, name="revoked")
    revoked.revoke()
    _, expired_secret = ApiKey.objects.issue(
        owner=alice, name="expired", expires_at=timezone.now() - timedelta(seconds=1)
    )
    assert post(revoked_secret).status_code == 401
    assert post(expired_secret).status_code == 401
    _, secret = ApiKey.objects.issue(owner=alice, name="fine")
    User.objects.update(is_active=False)
    assert post(secret).status_code == 401


def test_a_key_is_not_read_from_anywhere_but_its_header(published: Plugin, key: str):
    client = APIClient()
    body = {"plugin": "cover", "query": WEATHER, "key": key}
    for extra in ({"HTTP_X_API_KEY": key}, {"HTTP_COOKIE": f"key={key}"}, {"HTTP_AUTHORIZATION": key}):
        assert client.post("/api/v1/query", body, format="json", **extra).status_code == 401
    assert client.post(f"/api/v1/query?key={key}", body, format="json").status_code == 401


def test_a_key_without_the_capability_is_403(published: Plugin, alice: User):
    _, secret = ApiKey.objects.issue(owner=alice, name="reader", capabilities=["read"])
    assert_error(post(secret), 403, "missing_capability")


def test_an_unknown_plugin_is_404(published: Plugin, key: str):
    assert_error(post(key, plugin="nothing"), 404, "unknown_plugin")


def test_lx_085_an_unpublished_plugin_is_404_for_a_stranger_and_answers_its_author(
    plugin: Plugin, key: str, charlies_key: str
):
    assert_error(post(charlies_key), 404, "unknown_plugin")
    assert_error(post(charlies_key, plugin="cover@draft"), 404, "unknown_plugin")
    assert_error(post(charlies_key, plugin=str(plugin.pk)), 404, "unknown_plugin")
    assert post(key).json()["release"] == "cover@draft"


def test_a_published_plugin_answers_a_stranger_but_not_its_draft(published: Plugin, charlies_key: str):
    assert post(charlies_key).status_code == 200
    assert_error(post(charlies_key, plugin="cover@draft"), 404, "unknown_plugin")


def test_a_key_limited_to_one_plugin_sees_no_other(published: Plugin, alice: User):
    other = Plugin.objects.create(owner=alice, name="Other", slug="other", domain="x", system_prompt="x")
    key, secret = ApiKey.objects.issue(owner=alice, name="limited")
    key.plugins.add(other)
    assert_error(post(secret), 404, "unknown_plugin")
    assert post(secret, plugin="other").status_code == 200


def test_releases_are_named_by_version(published: Plugin, key: str):
    assert post(key, plugin="cover@1.0.0").json()["release"] == "cover@1.0.0"
    assert post(key, plugin="cover@latest").json()["release"] == "cover@1.0.0"
    assert_error(post(key, plugin="cover@9.9.9"), 404, "unknown_release")


@pytest.mark.parametrize(
    "wrong",
    [
        {"query": ""},
        {"query": "x" * 4001},
        {"query": None},
        {"query": "nul\x00byte"},
        {"plugin": ""},
        {"plugin": "nul\x00"},
        {"context": "not a list"},
        {"context": [{"role": "system", "content": "x"}]},
        {"options": {"citationMode": "loud"}},
        {"options": {"maxSources": 0}},
        {"options": {"filters": {"no_such_filter": 1}}},
        {"options": {"filters": {"document_ids": ["not an id"]}}},
        {"facts": {"exposure": {"nested": 1}}},
        {"facts": ["list"]},
        {"followup": {"token": "nonsense", "answer": "x"}},
        {"stream": "maybe"},
    ],
)
def test_lx_084_a_wrong_body_is_400_says_why_and_leaves_no_row(published: Plugin, key: str, wrong: dict[str, Any]):
    response = post(key, **wrong)
    assert response.status_code == 400, response.content
    assert set(response.json()) == {"error", "code", "hint"}
    assert not Query.objects.exists()


@pytest.mark.parametrize(
    ("method", "media_type", "body", "status", "words"),
    [
        ("GET", "application/json", b"", 405, "header Allow"),
        ("POST", "application/x-www-form-urlencoded", b"query=x", 415, "Content-Type: application/json"),
        ("POST", "application/json", b"[]", 400, "This has to be a JSON object."),
        ("POST", "application/json", b'{"query": "x"}', 400, "plugin: Name the plugin here"),
        ("POST", "application/json", b'{"plugin": "cover"}', 400, "query: Write a question here, or send a followup."),
    ],
)
def test_a_request_that_is_none_is_told_what_to_send(
    key: str, method: str, media_type: str, body: bytes, status: int, words: str
):
    client = APIClient(headers={"Authorization": f"Bearer {key}"})
    response = client.generic(method, "/api/v1/query", body, content_type=media_type)
    assert response.status_code == status
    assert words in f"{response.json()['error']} {response.json()['hint']}"


def test_a_body_that_is_no_json_is_400(key: str):
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {key}")
    response = client.post("/api/v1/query", "{nonsense", content_type="application/json")
    assert response.status_code == 400
    assert set(response.json()) == {"error", "code", "hint"}


def test_get_is_405_in_the_same_shape(key: str):
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {key}")
    response = client.get("/api/v1/query")
    assert response.status_code == 405
    assert set(response.json()) == {"error", "code", "hint"}


def test_too_many_requests_are_429_with_the_time_to_wait(published: Plugin, alice: User, monkeypatch: Any):
    monkeypatch.setattr(rate_limits, "time", SimpleNamespace(time=lambda: 4e9, monotonic=time.monotonic))
    _, secret = ApiKey.objects.issue(owner=alice, name="slow", per_minute=2)
    statuses = [post(secret, plugin="nothing").status_code for _ in range(3)]
    limited = post(secret, plugin="nothing")
    assert statuses[:2] == [404, 404]
    assert_error(limited, 429, "rate_limited")
    assert 0 < int(limited["Retry-After"]) <= 60


def test_a_question_behind_a_full_line_is_503_with_the_time_to_wait(
    published: Plugin, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = ConcurrencyLimit(slots=1, queue=0)
    full._mean_seconds = 80.0
    full.enter()
    monkeypatch.setattr(admission, "answer_limit", lambda: full)
    refused = post(key)
    assert_error(refused, 503, "overloaded")
    assert refused["Retry-After"] == "40"


def test_a_used_key_remembers_when(published: Plugin, key: str):
    post(key)
    assert ApiKey.objects.get(name="agent").last_used_at is not None


def test_an_error_is_json_even_where_a_stream_was_asked_for(published: Plugin, key: str):
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {key}")
    response = client.post(
        "/api/v1/query", {"plugin": "nothing", "query": "x"}, format="json", HTTP_ACCEPT="text/event-stream"
    )
    assert_error(response, 404, "unknown_plugin")
