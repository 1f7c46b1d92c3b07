"""What is asked of one's own notes: recaps, what is being worked on, and what the front matter says."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from accounts.models import User
from knowledge.models import Page
from plugins.models import Plugin
from querying.answering.llms.openai import OpenAIChat
from querying.models import MonthlyCost, Query
from querying.types.answer import Outcome
from tests.openai_stub import OpenAIStub, Status
from tests.querying.question.planning.test_planned_queries import answered, asked, publish_notes, titles
from tests.remembered import remembered

pytestmark = pytest.mark.django_db

NOTES: dict[str, tuple[str, dict[str, Any]]] = {
    "Greenhouse": (
        "The frame stands. The glass comes next week.",
        {"doc_date": date(2026, 11, 2), "doc_status": "active", "tags": ["work"], "metadata": {"priority": "high"}},
    ),
    "Website": ("The new front page is drafted.", {"doc_date": date(2026, 10, 3), "doc_status": "active"}),
    "Heating": (
        "The thermostat got a new sensor and holds 19 degrees.",
        {"doc_date": date(2026, 11, 5), "doc_status": "done"},
    ),
    "Fence": (
        "The fence by the gate was painted green.",
        {"doc_date": date(2026, 11, 9), "doc_status": "done"},
    ),
    "Secret fence": (
        "The fence cost too much.",
        {"doc_date": date(2026, 11, 9), "doc_status": "done", "is_public": False},
    ),
}


@pytest.fixture
@remembered
def notes(alice: User) -> Plugin:
    return publish_notes(alice, NOTES)


@pytest.mark.parametrize("text", ["What am I working on?", "What am I working on right now?"])
def test_a_tag_named_like_the_verb_of_a_question_is_no_filter(notes: Plugin, text: str) -> None:
    answer, streamed = answered(asked(text, notes))
    assert titles(answer) == ["Greenhouse", "Website"]
    assert answer.text == streamed
    assert Query.objects.get().plan["tags"] == []


def test_the_same_tag_filters_where_it_is_named_as_one(notes: Plugin) -> None:
    assert titles(answered(asked("notes tagged work", notes))[0]) == ["Greenhouse"]


def test_a_recap_shows_the_first_words_of_each_note(notes: Plugin) -> None:
    answer, _ = answered(asked("What did I get done in November 2026?", notes))
    assert titles(answer) == ["Fence", "Secret fence", "Heating"]
    line = next(line for line in answer.text.splitlines() if line.startswith("- Heating"))
    assert "“The thermostat got a new sensor and holds 19 degrees.”" in line
    for citation in answer.citations:
        assert Page.objects.get(pk=citation.passage.page_id).text[citation.start : citation.end] == citation.excerpt


def test_what_was_done_with_one_thing_is_found_under_the_filters(notes: Plugin) -> None:
    answer, _ = answered(asked("What did I get done with the thermostat in November 2026?", notes))
    assert (answer.outcome, titles(answer)) == (Outcome.ANSWERED, ["Heating"])


def test_a_word_of_no_note_is_named_and_words_of_the_request_are_not(notes: Plugin) -> None:
    answer, _ = answered(asked("What did I get done with the zeppelin in November 2026?", notes))
    assert answer.outcome == Outcome.REFUSED
    why = " ".join(answer.why)
    assert "“zeppelin”" in why
    assert "“get”" not in why
    assert "“done”" not in why


@pytest.mark.parametrize("text", ["Status of the greenhouse?", "What is the status of the greenhouse?"])
def test_the_front_matter_of_a_note_answers_and_is_cited(notes: Plugin, text: str) -> None:
    answer, _ = answered(asked(text, notes))
    assert titles(answer) == ["Greenhouse"]
    assert "status active [Source 1]" in answer.text


def test_other_front_matter_is_for_people_who_work_on_the_plugin(notes: Plugin) -> None:
    question = "What is the priority of the greenhouse?"
    assert "priority high" in answered(asked(question, notes))[0].text
    assert "high" not in answered(asked(question, notes, anybody=True))[0].text


def test_the_front_matter_of_a_private_note_stays_private(notes: Plugin) -> None:
    answer, _ = answered(asked("What is the status of the secret fence?", notes, anybody=True))
    assert "Secret" not in answer.text
    assert "Secret fence" not in titles(answer)


def test_a_filter_that_leaves_nothing_over_is_named_with_what_is_near(notes: Plugin) -> None:
    by_time, _ = answered(asked("notes tagged work in 2019", notes))
    assert by_time.reason == "no_document_matches"
    assert by_time.why[1] == "Without the time 1 document matches; the nearest is “Greenhouse”, 2 November 2026."
    by_status, _ = answered(asked("which notes tagged work are done?", notes))
    assert by_status.why[1:] == ("Documents that match otherwise have another status: active (1).",)


def test_a_language_model_writes_the_recap_and_only_what_is_verified_is_shown(notes: Plugin, stub: OpenAIStub) -> None:
    stub.answer = lambda body: (
        "The fence by the gate was painted green [Source 1]. The thermostat got a new sensor [Source 3]. "
        "You also built a boat of gold [Source 1]."
    )
    answer, _ = answered(asked("What did I get done in November 2026?", notes), OpenAIChat())
    assert "painted green" in answer.text
    assert "new sensor" in answer.text
    assert "boat" not in answer.text
    assert set(titles(answer)) == {"Fence", "Heating"}


def test_a_recap_is_the_list_where_the_model_fails_or_proves_nothing(notes: Plugin, stub: OpenAIStub) -> None:
    stub.answer = lambda body: "You built a boat of gold."
    unproven, _ = answered(asked("What did I get done in November 2026?", notes), OpenAIChat())
    stub.script += [Status(400)]
    failed, streamed = answered(asked("What did I get done in November 2026?", notes), OpenAIChat())
    assert titles(unproven) == titles(failed) == ["Fence", "Secret fence", "Heating"]
    assert failed.text == streamed


def test_of_a_recap_what_the_model_wrote_is_paid_and_not_what_it_refused(
    notes: Plugin, stub: OpenAIStub, settings: Any
) -> None:
    settings.LEXIC_LLM_MODEL, settings.LEXIC_LLM_PRICES = "priced", "priced=1000000/1000000"
    stub.answer = lambda body: "You built a boat of gold."
    answered(asked("What did I get done in November 2026?", notes), OpenAIChat())
    assert Query.objects.get().cost, "it proved nothing, and the provider has counted it"
    stub.script += [Status(400)]
    answered(asked("What did I get done in November 2026?", notes), OpenAIChat())
    assert Query.objects.filter(cost=None).count() == 1
    assert not MonthlyCost.objects.exists()
