"""Words with a typing error that the documents do not have."""

from __future__ import annotations

from contextlib import aclosing

import pytest
from asgiref.sync import async_to_sync
from django.db import connection
from django.test.utils import CaptureQueriesContext

from plugins.models import Plugin
from querying import pipeline, releases
from querying.answering import generate
from querying.question import misspellings
from querying.question.misspellings import describe_misspellings, find_misspellings
from querying.types.answer import Answer, Outcome
from querying.types.events import Done, Event, Status
from querying.types.question import Caller, Question
from tests.cover import give_document
from tests.linear_time import grows_linearly

pytestmark = pytest.mark.django_db

SAID = "Searched for “exposure” as well as “expsoure”."


def about(plugin: Plugin, text: str) -> Question:
    release = releases.resolve(plugin.slug, principal=plugin.owner)
    return Question(text=text, release=release, caller=Caller(name="alice", user_id=plugin.owner_id))


def misspelt(plugin: Plugin, text: str) -> dict[str, str]:
    return find_misspellings(text, question=about(plugin, text))


@async_to_sync
async def collect(question: Question) -> list[Event]:
    async with aclosing(pipeline.stream(question)) as events:
        return [event async for event in events]


def events(plugin: Plugin, text: str) -> list[Event]:
    return collect(about(plugin, text))


def answer(plugin: Plugin, text: str) -> Answer:
    last = events(plugin, text)[-1]
    assert isinstance(last, Done)
    return last.answer


@pytest.mark.parametrize("written", ["expsoure", "exposuure", "expposure", "expozure", "Expsoure"])
def test_a_word_one_slip_away_from_one_of_the_documents_is_meant(plugin: Plugin, written: str) -> None:
    assert misspelt(plugin, f"{written} in a building?") == {written.lower(): "exposure"}


@pytest.mark.parametrize(
    "text",
    [
        "What is exposure?",
        "What is “expsoure”?",
        'What is "expsoure"?',
        "What is `expsoure`?",
        "What is Expsoure?",
        "What is EXPSOURE?",
        "What is expsoure2?",
        "What is expsoure_class?",
        "What is expsoure-class?",
        "What is expsoure()?",
        "What is /expsoure/?",
        "What is expsoure.md?",
        "What is expsuroe?",  # two slips
        "What is a leaderboard?",
    ],
)
def test_other_words_stay_as_they_are(plugin: Plugin, text: str) -> None:
    assert misspelt(plugin, text) == {}


@pytest.mark.parametrize(("written", "meant"), [("mortarr", "mortar"), ("conrcete", "concrete")])
def test_in_a_small_base_a_word_that_it_says_once_is_meant_as_well(plugin: Plugin, written: str, meant: str) -> None:
    assert misspelt(plugin, f"What about {written}?") == {written: meant}


def test_in_a_large_base_a_word_that_it_says_once_is_not_meant(plugin: Plugin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(misspellings, "_MAX_SMALL_CHUNKS", 0)
    assert misspelt(plugin, "What about mortarr?") == {}


@pytest.mark.parametrize("written", ["panned", "zorblim"])
def test_a_form_of_another_word_and_a_rare_name_are_no_slips(plugin: Plugin, written: str) -> None:
    give_document(plugin, title="Visits", text="Visits are planned by Zorblin; the zorblin keeps the keys.")
    assert misspelt(plugin, f"What about {written}?") == {}


def test_nothing_is_looked_up_where_all_words_are_known(plugin: Plugin) -> None:
    question = about(plugin, "What is the nominal cover of a beam?")
    with CaptureQueriesContext(connection) as statements:
        assert find_misspellings(question.text, question=question) == {}
    assert len(statements) == 0


def test_the_question_is_answered_and_says_what_was_searched_for(published: Plugin) -> None:
    asked = "What is the nominal cover of a beam for severe expsoure?"
    given = answer(published, asked)
    assert given.outcome == Outcome.ANSWERED
    assert "45 mm" in given.text
    assert given.text.endswith(SAID)
    assert SAID in [event.message for event in events(published, asked) if isinstance(event, Status)]


def test_a_refusal_says_so_too(published: Plugin) -> None:
    given = answer(published, "Which bank insures the expsoure of shareholders?")
    assert given.outcome == Outcome.REFUSED
    assert SAID in given.why


def test_a_question_without_slips_says_nothing(published: Plugin) -> None:
    assert "Searched for" not in answer(published, "What are spacers made of?").text


def test_it_says_for_what_was_searched() -> None:
    assert describe_misspellings({}) == ""
    assert describe_misspellings({"a": "b", "c": "d"}) == "Searched for “b” as well as “a”, and for “d” as well as “c”."


@pytest.mark.parametrize("unit", ["zzzzq ", "“zz ", "'zz ", "zzzz", "zz-", "z.z"])
def test_it_is_linear_in_the_question(published: Plugin, unit: str) -> None:
    assert grows_linearly(lambda text: misspelt(published, text), unit)


def test_what_else_was_searched_for_is_said_in_the_language_of_the_question(
    published: Plugin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generate, "answer_language", lambda question: "de")
    said = answer(published, "What cover does a beam need at severe expsoure?").text
    assert "Gesucht wurde nach „exposure“ neben „expsoure“." in said
