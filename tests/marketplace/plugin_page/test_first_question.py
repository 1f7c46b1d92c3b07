"""The code that people copy asks a question that the plugin answers."""

from __future__ import annotations

import html

import pytest
from django.test import Client

from accounts.models import User
from evaluation.models import GoldenQuestion
from marketplace.plugin_page.first_question import first_question
from plugins.models import Plugin

pytestmark = pytest.mark.django_db


def add(plugin: Plugin, question: str, *, is_public: bool = False, expectation: str = "answer") -> None:
    GoldenQuestion.objects.create(
        plugin=plugin, question=question, is_public=is_public, expectation=expectation, last_passed=True
    )


def test_visitors_get_what_the_author_offers_and_nothing_that_must_be_refused(published: Plugin, bob: User) -> None:
    add(published, "A secret of the author?")
    add(published, "What is the weather?", is_public=True, expectation="refuse")
    assert [first_question(published, viewer=viewer) for viewer in (None, bob)] == ["", ""]
    add(published, "Which boots?", is_public=True)
    assert [first_question(published, viewer=viewer) for viewer in (None, bob)] == ["Which boots?", "Which boots?"]


def test_those_who_work_on_it_get_a_golden_question_or_what_its_documents_suggest(
    published: Plugin, alice: User
) -> None:
    suggested = first_question(published, viewer=alice)
    assert suggested
    add(published, "What is the weather?", expectation="refuse")
    assert first_question(published, viewer=alice) == suggested
    add(published, "Which boots?")
    assert first_question(published, viewer=alice) == "Which boots?"


def test_the_command_of_a_new_key_asks_it(client: Client, published: Plugin, alice: User) -> None:
    add(published, "Which boots?")
    client.force_login(alice)
    made = client.post("/api-keys", {"name": "desk", "plugin": "boots", "capabilities": ["query"], "lifetime": "90"})
    page = html.unescape(made.content.decode())
    assert '"query": "Which boots?"' in page


def test_the_command_for_an_unlisted_plugin_has_its_address(client: Client, published: Plugin, alice: User) -> None:
    Plugin.objects.update(visibility="unlisted", page_token="unlisted-abc")
    client.force_login(alice)
    made = client.post("/api-keys", {"name": "desk", "plugin": "boots", "capabilities": ["query"], "lifetime": "90"})
    assert '"plugin": "unlisted-abc"' in html.unescape(made.content.decode())


def test_visitors_who_know_no_question_are_shown_its_place(client: Client, published: Plugin) -> None:
    add(published, "A secret of the author?")
    page = client.get("/marketplace/boots").content.decode()
    assert ("Your question" in page, "A secret of the author?" in page) == (True, False)
