"""A visitor asks a plugin on its page, without a script and with one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.test import Client

from accounts.models import User
from marketplace.publishing.publish import publish
from plugins.models import Plugin
from querying.models import Query
from tests.held_streams import stream_of_visitor
from trees.models import DecisionTree

TRY = "/marketplace/boots/try"
WORN = "What is worn on every site?"
STREAM = {"accept": "text/event-stream"}


@pytest.fixture
def with_tree(plugin: Plugin, tree: DecisionTree, alice: User) -> Plugin:
    publish(plugin, by=alice)
    plugin.refresh_from_db()
    return plugin


def ask(client: Client, question: str = WORN, **more: str) -> str:
    answer = client.post(TRY, {"question": question, **more})
    assert answer.status_code == 200
    return answer.content.decode()


def events(client: Client, **fields: str) -> list[dict[str, Any]]:
    answer = client.post(TRY, fields, headers=STREAM)
    assert answer["Content-Type"] == "text/event-stream"

    async def collected() -> bytes:
        return b"".join([part async for part in answer.streaming_content])

    blocks = async_to_sync(collected)().decode().split("\n\n")
    return [json.loads(block.removeprefix("data: ")) for block in blocks if block.startswith("data: ")]


def token_in(html: str) -> str:
    found = re.search(r'name="token" value="([^"]+)"', html)
    assert found
    return found[1]


def test_an_answer_stands_beside_its_evidence(client: Client, published: Plugin) -> None:
    said = ask(client)
    assert "<mark>Safety boots with a steel toe are worn on every site.</mark>" in said
    assert "1 of 1 citation found word for word on the cited page" in said
    assert "confidence</span>" in said
    # Nobody may read the page, so nothing of it is shown but what is cited.
    assert "24 months" not in said.partition('id="try-answer"')[2].partition("</article>")[0]


def test_of_a_shared_plugin_the_words_around_are_shown_and_the_page_opens(client: Client, shared: Plugin) -> None:
    answer = ask(client).partition('id="try-answer"')[2]
    assert 'href="/source/' in answer
    assert "Boots are replaced after" in answer


def test_a_refusal_says_why_and_what_came_nearest(client: Client, published: Plugin) -> None:
    said = ask(client, "Which gloves does a diver need in the Arctic?")
    assert 'data-outcome="refused"' in said
    assert "<b>Why:</b>" in said


def test_it_is_logged_without_a_name(browsing: Callable[[User], Client], published: Plugin, visitor: User) -> None:
    ask(browsing(visitor))
    row = Query.objects.get()
    assert (row.user, row.api_key, row.question) == (None, None, WORN)
    assert (row.plugin, row.release) == (published, published.latest_release())


def test_a_missing_fact_is_asked_for_and_the_answer_goes_on(client: Client, with_tree: Plugin) -> None:
    asked = ask(client, "Which boots must be worn?")
    assert "Where are the boots worn?" in asked
    token = token_in(asked)
    said = client.post(TRY, {"token": token, "answer": "on site"}).content.decode()
    assert 'data-outcome="answered"' in said
    assert "on site" in said


def test_an_answer_that_the_tree_does_not_understand_is_named_as_it_asks_again(
    client: Client, with_tree: Plugin
) -> None:
    token = token_in(ask(client, "Which boots must be worn?"))
    said = client.post(TRY, {"token": token, "answer": "<b>purple</b>"}).content.decode()
    assert 'data-outcome="clarify"' in said
    assert "Where are the boots worn?" in said
    assert "The decision tree does not understand the answer “" in said
    assert "purple" in said
    assert "<b>purple" not in said


def test_a_token_is_good_for_its_own_plugin_alone(client: Client, with_tree: Plugin, alice: User) -> None:
    token = token_in(ask(client, "Which boots must be worn?"))
    other = Plugin.objects.create(
        owner=alice, name="Other", slug="other", domain="x", system_prompt="x", is_published=True
    )
    release = with_tree.latest_release()
    assert release
    release.pk, release.plugin, release._state.adding = None, other, True
    other.releases.create(version="1.0.0", knowledge=release.knowledge, **release.policy())
    refused = client.post("/marketplace/other/try", {"token": token, "answer": "on site"})
    assert refused.status_code == 400
    assert "does not belong to this" in refused.content.decode()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "Write a question first."),
        ({"question": "   "}, "Write a question first."),
        ({"question": "x" * 1001}, "has 1001 characters, and may have 1000. Shorten it"),
        ({"token": "forged", "answer": "on site"}, "does not belong to this"),
        ({"token": "x"}, "Choose one of the answers"),
        ({"question": "nul\x00"}, "Null characters are not allowed"),
    ],
)
def test_what_cannot_be_asked_is_said_and_costs_nothing(
    client: Client, published: Plugin, fields: dict[str, str], words: str
) -> None:
    refused = client.post(TRY, fields)
    assert (refused.status_code, words in refused.content.decode()) == (400, True)
    assert "20 questions left today" in refused.content.decode()
    streamed = client.post(TRY, fields, headers=STREAM)
    assert (streamed.status_code, words in streamed.json()["error"]) == (400, True)
    assert Query.objects.count() == 0


def test_the_day_has_an_end_and_the_question_is_kept(client: Client, published: Plugin, settings: Any) -> None:
    settings.VISITOR_PER_DAY = 2
    assert "One question left today" in ask(client)
    assert "No questions left today" in ask(client)
    refused = client.post(TRY, {"question": "One more?"})
    said = refused.content.decode()
    assert (refused.status_code, int(refused["Retry-After"]) > 0) == (429, True)
    assert ("One more?</textarea>" in said, "Try again in" in said) == (True, True)
    assert said.count(">Get a key</a></span></p>") == 1  # in the note, and not only above
    streamed = client.post(TRY, {"question": "One more?"}, headers=STREAM)
    assert (streamed.status_code, streamed.json()["code"]) == (429, "rate_limited")
    assert Query.objects.count() == 2


def test_an_address_has_a_small_share_of_what_is_answered_at_once(
    client: Client, published: Plugin, settings: Any
) -> None:
    settings.QUOTAS = settings.QUOTAS | {"visitor_streams": 1}
    with stream_of_visitor():
        refused = client.post(TRY, {"question": WORN})
        assert (refused.status_code, "This visitor has 1 of 1 questions" in refused.content.decode()) == (429, True)
        assert refused["Retry-After"] == "5"
        assert client.post(TRY, {"question": WORN}, REMOTE_ADDR="192.0.2.7").status_code == 200


def test_another_address_has_questions_of_its_own_and_all_together_an_end(
    client: Client, published: Plugin, settings: Any
) -> None:
    settings.VISITOR_PER_DAY, settings.VISITORS_PER_DAY = 1, 2
    ask(client)
    assert client.post(TRY, {"question": WORN}).status_code == 429
    assert client.post(TRY, {"question": WORN}, REMOTE_ADDR="192.0.2.7").status_code == 200
    assert client.post(TRY, {"question": WORN}, REMOTE_ADDR="192.0.2.8").status_code == 429


def test_a_form_of_elsewhere_asks_nothing(published: Plugin) -> None:
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(TRY, {"question": WORN}).status_code == 403
    assert Query.objects.count() == 0


def test_reloaded_it_is_the_page_again(client: Client, published: Plugin) -> None:
    assert client.get(TRY).headers["Location"] == "/marketplace/boots#try"


@pytest.mark.django_db(transaction=True)
def test_with_a_script_it_comes_as_a_stream_that_ends_with_the_servers_own_turn(
    client: Client, published: Plugin
) -> None:
    came = events(client, question=WORN)
    kinds = [event["type"] for event in came]
    assert (kinds[0], kinds[-2:]) == ("status", ["done", "turn"])
    text = "".join(event["text"] for event in came if event["type"] == "delta")
    assert text.startswith("Safety boots with a steel toe are worn on every site")
    assert "1 of 1 citation found word for word" in came[-1]["html"]
    assert came[-1]["left"].startswith("19 questions left today")


@pytest.mark.django_db(transaction=True)
def test_a_question_back_in_a_stream_has_a_form_that_may_be_sent(client: Client, with_tree: Plugin) -> None:
    html = events(client, question="Which boots must be worn?")[-1]["html"]
    assert 'name="csrfmiddlewaretoken"' in html
    came = events(client, token=token_in(html), answer="on site")
    assert 'data-outcome="answered"' in came[-1]["html"]


@pytest.mark.django_db(transaction=True)
def test_what_is_asked_and_answered_stays_text(client: Client, published: Plugin) -> None:
    html = events(client, question="<img src=x onerror=alert(1)> boots?")[-1]["html"]
    assert "<img" not in html
    assert "&lt;img src=x" in html
