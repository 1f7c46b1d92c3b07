"""What we asked back is answered by typing: however often that is, the question and its facts stay."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from agents.execution.load_assignment import read_assignment
from conversations import public_questions as door
from plugins.models import Plugin
from querying.models import Query
from tests.agents.working import ask as ask_in_private
from tests.conversations.asking import LONG, OPEN, ask, session_in
from tests.conversations.conftest import PARTS

pytestmark = pytest.mark.django_db


def last_query() -> Query:
    row = Query.objects.order_by("created_at").last()
    assert row is not None
    return row


def test_a_tree_that_asks_for_seven_facts_is_finished_by_typing(client: Client, with_long_tree: Plugin) -> None:
    said = ask(client, OPEN)
    for _ in PARTS:
        assert last_query().outcome == "clarify"
        said = ask(client, "red", session=session_in(said))
    row = last_query()
    assert (row.question, row.facts) == (OPEN, dict.fromkeys(PARTS, "red"))
    assert (row.outcome, row.context) == ("answered", [])


def test_so_is_it_in_a_private_conversation(with_long_tree: Plugin, bob: User) -> None:
    run = ask_in_private(with_long_tree, bob, OPEN)
    for _ in PARTS:
        assert run.state == "waiting"
        run = ask_in_private(with_long_tree, bob, "red", session=run.session)
    question = read_assignment(run, bob).question
    assert (question.text, question.facts) == (OPEN, dict.fromkeys(PARTS, "red"))


def test_a_long_question_that_we_asked_back_about_keeps_every_word(client: Client, with_tree: Plugin) -> None:
    assert door.MAX_TURN_CHARACTERS < len(LONG) < 2000
    asked = ask(client, LONG)
    ask(client, "on site", session=session_in(asked))
    assert (last_query().question, last_query().facts) == (LONG, {"place": "on site"})


def test_what_was_said_before_that_question_is_cut_to_size(
    client: Client, with_long_tree: Plugin, settings: Any
) -> None:
    settings.VISITOR_PER_MINUTE = 100
    said = ask(client, LONG)
    for _ in range(door.MAX_CONTEXT_EXCHANGES + 1):
        said = ask(client, LONG, session=session_in(said))
    ask(client, "red", session=session_in(said))
    row = last_query()
    assert (row.question, row.facts) == (LONG, {"sole": "red"})
    assert [turn["role"] for turn in row.context] == ["user", "assistant"] * door.MAX_CONTEXT_EXCHANGES
    assert {turn["content"] for turn in row.context[::2]} == {LONG[: door.MAX_TURN_CHARACTERS]}
