"""The question in the first call that somebody copies: one that is answered, and that they may read."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from evaluation.golden.propose_questions import propose_questions
from evaluation.models import GoldenQuestion
from knowledge.models import Chunk, Document
from marketplace.plugin_page.first_question import first_question
from plugins.models import Plugin

ASKED = "Which boots on a roof?"


def golden(plugin: Plugin, question: str, **fields: Any) -> GoldenQuestion:
    return GoldenQuestion.objects.create(plugin=plugin, question=question, **fields)


def test_a_golden_question_that_passed_comes_first(published: Plugin, alice: User) -> None:
    golden(published, "Which boots failed?", last_passed=False)
    golden(published, "What do they earn?", expectation="refuse", last_passed=True)
    golden(published, "Which boots for me?", facts={"size": 40}, last_passed=True)
    golden(published, "Which boots were never tried?")
    golden(published, ASKED, last_passed=True)
    assert first_question(published, viewer=alice) == ASKED


def test_one_that_is_too_long_for_an_example_is_passed_over(published: Plugin, alice: User) -> None:
    golden(published, "Which boots " + "and which laces " * 20 + "?", last_passed=True)
    golden(published, ASKED, last_passed=True)
    assert first_question(published, viewer=alice) == ASKED


@pytest.mark.parametrize("stranger", ["charlie", ""])
def test_others_are_not_shown_what_is_not_theirs_to_read(published: Plugin, charlie: User, stranger: str) -> None:
    golden(published, ASKED, last_passed=True)
    viewer = charlie if stranger else None
    assert first_question(published, viewer=viewer) == "What does “Rules on boots” say?"
    GoldenQuestion.objects.update(is_public=True)
    assert first_question(published, viewer=viewer) == ASKED


def test_without_golden_questions_the_documents_suggest_one_to_those_who_work_on_it(
    published: Plugin, alice: User
) -> None:
    assert first_question(published, viewer=alice) == propose_questions(published)[0].question


def test_a_new_title_stays_private_until_it_is_published(published: Plugin) -> None:
    Document.objects.update(title="Rules that nobody may know of")
    assert first_question(published, viewer=None) == "What does “Rules on boots” say?"


def test_the_document_of_expert_answers_is_no_subject(published: Plugin) -> None:
    titles = ["Expert answers", "Rules on boots"]
    assert first_question(published, viewer=None, titles=titles) == "What does “Rules on boots” say?"
    Chunk.objects.update(document_title="Expert answers")
    assert first_question(published, viewer=None) == ""


def test_what_reads_nothing_has_none(alice: User) -> None:
    plugin = Plugin.objects.create(owner=alice, name="Empty", domain="testing", system_prompt="You answer.")
    assert first_question(plugin, viewer=alice) == ""


def test_the_command_of_a_new_key_asks_it(client: Client, published: Plugin, alice: User) -> None:
    golden(published, ASKED)
    assert command_of_a_new_key(client, alice)["query"] == ASKED


def test_the_command_for_an_unlisted_plugin_has_its_address(client: Client, published: Plugin, alice: User) -> None:
    Plugin.objects.update(visibility="unlisted", page_token="unlisted-abc")
    assert command_of_a_new_key(client, alice)["plugin"] == "unlisted-abc"


def command_of_a_new_key(client: Client, user: User) -> dict[str, str]:
    client.force_login(user)
    made = client.post("/api-keys", {"name": "desk", "plugin": "boots", "capabilities": ["query"], "lifetime": "90"})
    body = shlex.split(made.context["example"].replace("\\\n", " "))[-1]
    return dict(json.loads(body))
