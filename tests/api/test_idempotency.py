"""A POST with an Idempotency-Key is done once."""

from __future__ import annotations

import threading
import uuid
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.db import connections
from django.utils import timezone

from accounts.models import ApiKey, User
from api.models import KEPT_FOR, LONGEST_REQUEST, IdempotentRequest
from api.tasks import forget_requests
from conversations.models import Project
from knowledge.models import BaseMember
from plugins.models import Plugin
from querying.models import Query
from tests.api.callers import assert_error, by_key, signed_in
from tests.api.chat_completions.asking import WEATHER, client_of

pytestmark = pytest.mark.django_db

QUESTION = {"plugin": "cover", "query": WEATHER}
PLUGIN = {"name": "Boots", "slug": "boots", "domain": "safety"}


def ask(key: str, name: str, body: Any = QUESTION, url: str = "/api/v1/query") -> Any:
    return client_of(key).post(url, body, format="json", HTTP_IDEMPOTENCY_KEY=name)


@pytest.mark.parametrize(
    ("url", "body"),
    [
        ("/api/v1/query", QUESTION),
        ("/v1/chat/completions", {"model": "cover", "messages": [{"role": "user", "content": WEATHER}]}),
        ("/v1/responses", {"model": "cover", "input": WEATHER}),
    ],
)
def test_a_question_that_is_sent_again_is_asked_once(published: Plugin, key: str, url: str, body: Any) -> None:
    first, again = (ask(key, "a", body, url) for _ in range(2))
    assert first.status_code == again.status_code == 200
    assert first.json() == again.json()
    assert "Idempotency-Replayed" not in first
    assert again["Idempotency-Replayed"] == "true"
    assert again["Content-Type"] == first["Content-Type"]
    assert Query.objects.count() == 1


def test_what_is_made_is_made_once(alice: User) -> None:
    client = by_key(alice)
    first, again = (client.post("/api/plugins", PLUGIN, format="json", HTTP_IDEMPOTENCY_KEY="a") for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert again.headers.get("ETag") == first.headers.get("ETag")
    assert Plugin.objects.count() == 1


def test_the_order_of_names_makes_no_other_request(published: Plugin, key: str) -> None:
    ask(key, "a", QUESTION)
    assert ask(key, "a", dict(reversed(QUESTION.items())))["Idempotency-Replayed"] == "true"


@pytest.mark.parametrize(
    ("body", "url"), [({**QUESTION, "query": "Which cover?"}, "/api/v1/query"), (QUESTION, "/api/sandbox/cover")]
)
def test_the_same_name_with_another_request_is_refused(
    published: Plugin, alice: User, body: dict[str, Any], url: str
) -> None:
    client = by_key(alice)
    client.post("/api/v1/query", QUESTION, format="json", HTTP_IDEMPOTENCY_KEY="a")
    refused = client.post(url, body, format="json", HTTP_IDEMPOTENCY_KEY="a")
    assert_error(refused, 422, "idempotency_key_reused")
    assert Query.objects.count() == 1


def test_another_key_has_names_of_its_own(published: Plugin, key: str, charlies_key: str) -> None:
    first, other = ask(key, "a"), ask(charlies_key, "a")
    assert first.json()["queryId"] != other.json()["queryId"]
    assert "Idempotency-Replayed" not in other


def test_while_the_first_is_answered_the_second_waits(published: Plugin, key: str) -> None:
    ask(key, "a")
    IdempotentRequest.objects.update(status=None)
    waiting = ask(key, "a")
    assert_error(waiting, 409, "request_in_progress")
    assert int(waiting["Retry-After"]) > 0


def test_a_request_that_was_cut_off_can_be_sent_again(published: Plugin, key: str) -> None:
    ask(key, "a")
    cut_off = timezone.now() - LONGEST_REQUEST - timedelta(seconds=1)
    IdempotentRequest.objects.update(status=None, created_at=cut_off)
    assert ask(key, "a").status_code == 200
    assert Query.objects.count() == 2


def test_after_a_day_the_name_is_free(published: Plugin, key: str) -> None:
    ask(key, "a")
    IdempotentRequest.objects.update(created_at=timezone.now() - KEPT_FOR - timedelta(seconds=1))
    assert "Idempotency-Replayed" not in ask(key, "a")
    IdempotentRequest.objects.update(created_at=timezone.now() - KEPT_FOR - timedelta(seconds=1))
    forget_requests()
    assert not IdempotentRequest.objects.exists()


def test_an_error_leaves_the_name_free(published: Plugin, key: str) -> None:
    assert ask(key, "a", {**QUESTION, "plugin": "nothing"}).status_code == 404
    assert ask(key, "a", {**QUESTION, "stream": "yes"}).status_code == 400
    assert ask(key, "a").status_code == 200


def test_a_stream_is_not_kept(published: Plugin, key: str) -> None:
    for _ in range(2):
        assert ask(key, "a", {**QUESTION, "stream": True}).status_code == 200
    assert not IdempotentRequest.objects.exists()


@pytest.mark.parametrize("name", ["", " ", "a b", "x" * 256, "naïve", "a\tb"])
def test_a_name_that_is_none_is_refused(published: Plugin, key: str, name: str) -> None:
    assert_error(ask(key, name), 400, "invalid_idempotency_key")
    assert not Query.objects.exists()


def test_a_body_that_cannot_be_read_is_refused_as_without_a_name(published: Plugin, key: str) -> None:
    sent = client_of(key).generic("POST", "/api/v1/query", b"{", "application/json", HTTP_IDEMPOTENCY_KEY="a")
    assert_error(sent, 400, "invalid_json")
    assert not IdempotentRequest.objects.exists()


def test_a_key_that_is_revoked_is_sent_nothing(published: Plugin, key: str) -> None:
    ask(key, "a")
    ApiKey.objects.update(revoked_at=timezone.now())
    assert ask(key, "a").status_code == 401


def test_nothing_can_be_read_in_the_table(published: Plugin, key: str) -> None:
    name = str(uuid.uuid4())
    ask(key, name)
    [row] = IdempotentRequest.objects.values()
    kept = repr({**row, "sealed_response": bytes(row["sealed_response"])})
    assert "45 mm" not in kept
    assert name not in kept


def test_after_the_key_of_the_site_was_replaced_a_response_is_read_by_the_earlier_one(
    published: Plugin, key: str, settings: Any
) -> None:
    first = ask(key, "a")
    earlier, settings.ENCRYPTION_KEY = settings.ENCRYPTION_KEY, "a new one"
    assert_error(ask(key, "a"), 409, "response_unreadable")
    settings.ENCRYPTION_KEY_FALLBACKS = [earlier]
    assert ask(key, "a").json() == first.json()
    assert Query.objects.count() == 1


def test_the_pages_and_other_methods_look_at_no_name(published: Plugin, alice: User) -> None:
    client = signed_in(alice)
    client.post("/api/plugins", PLUGIN, format="json", HTTP_IDEMPOTENCY_KEY="a")
    by_key(alice).patch("/api/plugins/cover", {"tagline": "x"}, format="json", HTTP_IDEMPOTENCY_KEY="a")
    assert not IdempotentRequest.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_of_several_at_once_one_is_answered(published: Plugin, key: str) -> None:
    statuses: list[int] = []

    def send() -> None:
        statuses.append(ask(key, "a").status_code)
        connections.close_all()

    threads = [threading.Thread(target=send) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses.count(200) >= 1
    assert set(statuses) <= {200, 409}
    assert Query.objects.count() == 1


@pytest.mark.parametrize(
    ("url", "body"),
    [
        ("/api/sandbox/cover", {"query": WEATHER, "stream": False}),
        ("/api/plugins/cover/webhooks", {"url": "https://example.org/x", "events": ["release.published"]}),
    ],
)
def test_who_has_lost_the_plugin_is_not_sent_what_was_answered_before(
    published: Plugin, bob: User, url: str, body: Any
) -> None:
    published.editors.add(bob)
    client = by_key(bob)
    said = [client.post(url, body, format="json", HTTP_IDEMPOTENCY_KEY="a") for _ in range(2)]
    assert [one.status_code for one in said] in ([200, 200], [201, 201]), said[0].content
    assert said[1]["Idempotency-Replayed"] == "true"
    published.editors.remove(bob)
    published.viewers.add(bob)
    demoted = client.post(url, body, format="json", HTTP_IDEMPOTENCY_KEY="a")
    assert demoted.status_code == (200 if "sandbox" in url else 403)
    published.viewers.remove(bob)
    assert_error(client.post(url, body, format="json", HTTP_IDEMPOTENCY_KEY="a"), 404, "unknown_plugin")


def test_who_may_not_ask_a_plugin_any_more_is_not_sent_the_link_or_the_opinion(
    published: Plugin, charlies_key: str
) -> None:
    asked = ask(charlies_key, "a").json()["queryId"]
    doors = {f"/api/queries/{asked}/link": {}, f"/api/queries/{asked}/feedback": {"verdict": "up"}}
    for url, body in doors.items():
        said = [ask(charlies_key, url, body, url) for _ in range(2)]
        assert said[1].get("Idempotency-Replayed") == "true", said[0].content
    Plugin.objects.update(is_published=False)
    for url, body in doors.items():
        assert_error(ask(charlies_key, url, body, url), 404, "unknown_query")


def test_who_has_lost_a_project_is_not_sent_what_was_found_in_it(alice: User, bob: User) -> None:
    project = Project.objects.create_with_base(owner=alice, name="Quay")
    member = BaseMember.objects.create(knowledge_base=project.knowledge_base, email=bob.email, role="editor")
    EmailAddress.objects.create(user=bob, email=bob.email, verified=True, primary=True)
    client = by_key(bob)
    doors = {
        "/api/knowledge/search": {"query": WEATHER, "scope": "project", "projectId": str(project.pk)},
        f"/api/projects/{project.pk}/documents": {"title": "Notes", "text": "The quay is 40 m long."},
    }
    for url, body in doors.items():
        said = [client.post(url, body, format="json", HTTP_IDEMPOTENCY_KEY=url) for _ in range(2)]
        assert said[1].get("Idempotency-Replayed") == "true", said[0].content
    member.delete()
    for url, body in doors.items():
        assert client.post(url, body, format="json", HTTP_IDEMPOTENCY_KEY=url).status_code == 404


@pytest.mark.parametrize(
    ("url", "body"),
    [
        ("/api/v1/query", QUESTION),
        ("/v1/chat/completions", {"model": "cover", "messages": [{"role": "user", "content": WEATHER}]}),
        ("/v1/responses", {"model": "cover", "input": WEATHER}),
    ],
)
def test_what_the_key_may_not_ask_any_more_is_not_sent_again(published: Plugin, url: str, body: Any, key: str) -> None:
    assert ask(key, "a", body, url).status_code == 200
    other = Plugin.objects.create(owner=published.owner, name="Other", slug="other", domain="x")
    ApiKey.objects.get().plugins.set([other])
    assert ask(key, "a", body, url).status_code == 404
    assert Query.objects.count() == 1
