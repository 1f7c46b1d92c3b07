"""Figures and questions of a plugin through the API, and what those who asked think of the answers."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import ApiKey, User
from plugins.models import Plugin
from querying.models import Feedback, Query
from tests.api.people import code_of, keyed, signed_in
from tests.remembered import remembered

pytestmark = pytest.mark.django_db
FIGURES, QUERIES = "/api/plugins/cover/analytics", "/api/plugins/cover/queries"


@pytest.fixture
@remembered
def cover(alice: User) -> Plugin:
    return Plugin.objects.create(owner=alice, name="Cover", slug="cover", domain="x", system_prompt="x")


def asked(plugin: Plugin, *, days_ago: float = 0, **fields: Any) -> Query:
    said = {"release_name": "cover@draft", "question": "Why?", "outcome": "answered", "confidence": "high"}
    at = timezone.now() - timedelta(days=days_ago)
    return Query.objects.create(plugin=plugin, created_at=at, **{**said, **fields})


# --- Figures --------------------------------------------------------------------------------------------------


def test_the_figures_of_the_last_thirty_days(cover: Plugin, alice: User, charlie: User) -> None:
    own, theirs = (ApiKey.objects.issue(owner=person, name="agent")[0] for person in (alice, charlie))
    cited = [{"documentId": str(uuid.uuid4()), "document": "Gone"}]
    asked(cover, latency_ms=100, timings={"retrieve": 40}, prompt_tokens=7, api_key=own, citations=cited)
    asked(cover, latency_ms=300, timings={"retrieve": 60}, completion_tokens=2, api_key=theirs)
    asked(cover, outcome="refused", confidence="low", user=alice)
    asked(cover, days_ago=40)
    asked(cover, reason="courtesy", latency_ms=9000)  # "Thanks" is no question
    shown = signed_in(alice).get(FIGURES).json()
    today = timezone.localdate()
    assert (shown["from"], shown["to"]) == (str(today - timedelta(days=29)), str(today))
    assert (shown["total"], shown["before"]) == (3, 1)
    assert shown["outcomes"] == {"answered": 2, "refused": 1}
    assert shown["confidence"] == {"high": 2}
    assert shown["steps"]["retrieve"] == {"half": 50.0, "most": 59.0}
    assert shown["steps"]["tree"] == {"half": None, "most": None}
    assert (shown["promptTokens"], shown["completionTokens"], shown["cost"]) == (7, 2, None)
    assert [day["outcomes"] for day in shown["days"]] == [{"answered": 2, "refused": 1}]
    assert shown["cited"] == [{"documentId": None, "title": "Gone", "answers": 1}]
    by_name = {one["name"]: one["key"] for one in shown["keys"]}
    assert by_name == {str(own): str(own.pk), "another person’s key": None, "people, by hand": None}


def test_the_figures_of_other_days_and_of_one_way_to_ask(cover: Plugin, alice: User) -> None:
    asked(cover, days_ago=40, user=alice)
    day = str(timezone.localdate() - timedelta(days=40))
    client = keyed(alice, "read")

    def total(**said: str) -> int:
        return client.get(FIGURES, {"from": day, "to": day, **said}).json()["total"]

    assert total() == total(by="hand") == total(version="draft") == total(interval="week") == 1
    assert total(by="keys") == total(version="1.0.0") == 0


WRONG = [
    {"from": "yesterday"},
    {"from": "0001-01-01"},
    {"to": "9999-12-31"},
    {"from": "2026-02-02", "to": "2026-02-01"},
    {"from": "2020-01-01", "to": "2026-01-01"},
    {"version": "\x00"},
    {"form": "2026-01-01"},
]


@pytest.mark.parametrize("said", [*WRONG, {"by": "me"}, {"interval": "hour"}])
def test_days_that_make_no_sense_are_refused(cover: Plugin, alice: User, said: dict[str, str]) -> None:
    code_of(signed_in(alice).get(FIGURES, said), 400)


def test_figures_of_more_questions_take_no_more_statements(cover: Plugin, alice: User) -> None:
    client, taken = signed_in(alice), []
    for number in range(3):
        key, _ = ApiKey.objects.issue(owner=alice, name=str(number))
        asked(cover, days_ago=number, api_key=key, citations=[{"documentId": str(uuid.uuid4()), "document": "x"}])
        with CaptureQueriesContext(connection) as statements:
            assert client.get(FIGURES).json()["total"] == number + 1
        taken.append(len(statements))
    assert taken[0] == taken[1] == taken[2]


# --- Questions ------------------------------------------------------------------------------------------------


def test_what_was_asked_newest_first(cover: Plugin, alice: User) -> None:
    key, _ = ApiKey.objects.issue(owner=alice, name="agent")
    older = asked(cover, days_ago=1, outcome="refused", reason="no_evidence", error="Nothing is near.")
    newer = asked(cover, api_key=key, answer="Because. [Source 1]", facts={"a": 1}, citations=[{"id": "src_1"}])
    shown = signed_in(alice).get(QUERIES).json()["results"]
    assert [one["id"] for one in shown] == [str(newer.pk), str(older.pk)]
    assert (shown[0]["answer"], shown[0]["facts"]) == ("Because. [Source 1]", {"a": 1})
    assert shown[0]["key"] == {"id": str(key.pk), "name": "agent"}
    assert (shown[1]["reason"], shown[1]["why"], shown[1]["key"]) == ("no_evidence", "Nothing is near.", None)
    assert not {"context", "passages", "plan", "user"} & shown[0].keys()


def test_who_asked_stays_their_own_business(cover: Plugin, alice: User, charlie: User) -> None:
    key, _ = ApiKey.objects.issue(owner=charlie, name="secret agent")
    asked(cover, api_key=key, user=charlie)
    response = signed_in(alice).get(QUERIES)
    assert response.json()["results"][0]["key"] is None
    for trace in (b"secret agent", str(key.pk).encode(), str(charlie.pk).encode(), b"charlie"):
        assert trace not in response.content


def test_questions_are_narrowed(cover: Plugin, alice: User) -> None:
    for number, (outcome, confidence) in enumerate([("answered", "high"), ("answered", "low"), ("refused", "low")]):
        asked(cover, question=str(number), outcome=outcome, confidence=confidence, days_ago=number)
    client, today = signed_in(alice), timezone.localdate()

    def found(**said: str) -> list[str]:
        return [one["question"] for one in client.get(QUERIES, said).json()["results"]]

    assert found() == ["0", "1", "2"]
    assert found(outcome="refused") == ["2"]
    assert found(outcome="answered", confidence="low") == ["1"]
    assert found(**{"from": str(today)}) == ["0"]
    assert found(to=str(today - timedelta(days=1))) == ["1", "2"]
    assert found(version="draft") == ["0", "1", "2"]


@pytest.mark.parametrize("said", [*WRONG, {"outcome": "lost"}, {"limit": "-1"}, {"cursor": "cD0lMDA="}])
def test_other_questions_are_refused(cover: Plugin, alice: User, said: dict[str, str]) -> None:
    code_of(signed_in(alice).get(QUERIES, said), 400)


def test_a_longer_list_takes_no_more_statements(cover: Plugin, alice: User) -> None:
    client, taken = signed_in(alice), []
    for number in range(3):
        asked(cover, api_key=ApiKey.objects.issue(owner=alice, name=str(number))[0])
        with CaptureQueriesContext(connection) as statements:
            assert len(client.get(QUERIES).json()["results"]) == number + 1
        taken.append(len(statements))
    assert taken == [7, 7, 7]


def test_those_who_may_look_see_them_and_others_do_not(cover: Plugin, bob: User, charlie: User, alice: User) -> None:
    asked(cover)
    cover.viewers.add(bob)
    other = Plugin.objects.create(owner=alice, name="Other", domain="x", system_prompt="x")
    for address in (FIGURES, QUERIES):
        assert signed_in(bob).get(address).status_code == 200
        assert code_of(signed_in(charlie).get(address), 404) == "unknown_plugin"
        assert code_of(keyed(alice, "read", plugins=[other]).get(address), 404) == "unknown_plugin"
        assert code_of(keyed(alice, "query").get(address), 403) == "missing_capability"
        assert code_of(APIClient().get(address), 401) == "not_authenticated"


# --- What they think of the answer ---------------------------------------------------------------------------


def say(client: APIClient, query: Query, **said: Any) -> Any:
    return client.post(f"/api/queries/{query.pk}/feedback", said, format="json")


def client_with(secret: str) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


def test_whoever_asked_says_whether_it_was_right(cover: Plugin, charlie: User) -> None:
    cover.is_published = True
    cover.save()
    key, secret = ApiKey.objects.issue(owner=charlie, name="agent")
    query = asked(cover, api_key=key, user=charlie)
    shown = say(client_with(secret), query, verdict="down", comment="It is 50 mm.").json()
    assert (shown["verdict"], shown["comment"]) == ("down", "It is 50 mm.")
    assert Query.objects.needing_attention(since=timezone.now() - timedelta(days=1)).get() == query
    say(client_with(secret), query, verdict="up")
    opinion = Feedback.objects.get()
    assert (opinion.verdict, opinion.note, opinion.user) == ("up", "", charlie)


def test_a_person_says_it_of_their_own_questions(cover: Plugin, db: None) -> None:
    dora = User.objects.create_user("dora@example.org", "correct horse battery")
    assert say(signed_in(dora), asked(cover, user=dora), verdict="up").status_code == 200


def test_nothing_is_said_of_an_answer_whose_words_are_erased(cover: Plugin, charlie: User) -> None:
    cover.is_published = True
    cover.save()
    key, secret = ApiKey.objects.issue(owner=charlie, name="agent")
    query = asked(cover, api_key=key, user=charlie)
    Query.objects.all().erase_content(now=timezone.now())
    said = say(client_with(secret), query, verdict="down", comment="It is 50 mm.")
    assert code_of(said, 404) == "unknown_query"
    assert not Feedback.objects.exists()


def test_others_do_not_find_the_question(cover: Plugin, alice: User, charlie: User) -> None:
    cover.is_published = True
    cover.save()
    key, secret = ApiKey.objects.issue(owner=charlie, name="agent")
    query = asked(cover, api_key=key, user=charlie)
    other = ApiKey.objects.issue(owner=charlie, name="other agent")[1]
    for client in (signed_in(alice), keyed(alice, "query"), client_with(other)):
        assert code_of(say(client, query, verdict="up"), 404) == "unknown_query"
    key.plugins.set([Plugin.objects.create(owner=charlie, name="Own", domain="x", system_prompt="x")])
    assert code_of(say(client_with(secret), query, verdict="up"), 404) == "unknown_query"
    assert code_of(say(APIClient(), query, verdict="up"), 401) == "not_authenticated"
    assert code_of(say(keyed(charlie, "read"), query, verdict="up"), 403) == "missing_capability"
    assert not Feedback.objects.exists()


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"verdict": "maybe"},
        {"verdict": True},
        {"verdict": "up", "comment": "x" * 2001},
        {"verdict": "up", "note": "x"},
    ],
)
def test_an_opinion_that_is_none_is_refused(cover: Plugin, alice: User, said: dict[str, Any]) -> None:
    code_of(say(signed_in(alice), asked(cover, user=alice), **said), 400)
