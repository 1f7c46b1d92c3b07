"""Handbooks in other languages than English are answered from, and what they do not say is refused."""

from __future__ import annotations

import pytest
from asgiref.sync import async_to_sync

from accounts.models import User
from plugins.models import Plugin
from querying.pipeline import answer
from querying.releases import snapshot
from querying.types.answer import Answer
from querying.types.events import Done
from querying.types.question import Caller, Question
from tests.cover import give_document
from tests.knowledge.search.test_scripts import read_handbook

pytestmark = pytest.mark.django_db(transaction=True)
# By language: how many of ten questions are answered from the page that has the answer.
ANSWERED_RIGHT = {"ar": 6, "de": 9, "es": 10, "fr": 10, "hi": 9, "ru": 10, "zh": 10}
NOT_IN_THE_HANDBOOK = [
    "Wie hoch ist das Gehalt der Geschäftsführung?",
    "Wo sind die Parkplätze?",
    "Darf ich meinen Hund mitbringen?",
    "Wie lang ist die Kündigungsfrist?",
]


def make_plugin(alice: User, pages: list[str]) -> Plugin:
    plugin = Plugin.objects.create(owner=alice, name="Handbook", slug="handbook", domain="work", system_prompt="Help.")
    give_document(plugin, title="1", text="\n\n".join(f"# {at}\n\n{page}" for at, page in enumerate(pages, 1)))
    return plugin


def ask(plugin: Plugin, text: str) -> Answer:
    caller = Caller(name="test", is_evaluation=True)
    done = async_to_sync(answer)(Question(text=text, release=snapshot(plugin), caller=caller))
    assert isinstance(done, Done)
    return done.answer


@pytest.mark.parametrize("language", sorted(ANSWERED_RIGHT))
def test_a_handbook_answers_in_its_own_language(alice: User, language: str) -> None:
    pages, questions = read_handbook(language)
    plugin = make_plugin(alice, pages)
    asked = [(page, question) for page, question in zip(pages, questions, strict=True) if question]
    answers = [(page, ask(plugin, question)) for page, question in asked]
    right = sum(any(cited.excerpt in page for cited in one.citations) for page, one in answers)
    assert right >= ANSWERED_RIGHT[language]


def test_what_a_german_handbook_does_not_say_is_refused_for_reasons_without_function_words(alice: User) -> None:
    plugin = make_plugin(alice, read_handbook("de")[0])
    refused = [ask(plugin, question) for question in NOT_IN_THE_HANDBOOK]
    assert [one.outcome for one in refused] == ["refused"] * len(refused)
    reasons = " ".join(reason for one in refused for reason in one.why)
    assert "“Parkplätze”" in reasons
    assert not [word for word in ("Wie", "ist", "das", "der", "die", "meinen") if f"“{word}”" in reasons]


def test_a_company_that_is_named_elsewhere_is_no_answer_about_its_car_park(alice: User) -> None:
    plugin = make_plugin(alice, read_handbook("de")[0])
    assert ask(plugin, "Wie viele Parkplätze hat die Firma?").outcome == "refused"


def test_an_english_question_to_german_documents_is_told_so(alice: User) -> None:
    plugin = make_plugin(alice, read_handbook("de")[0])
    refused = ask(plugin, "What is the notice period when an employee wants to leave the company?")
    assert refused.outcome == "refused"
    assert any("language" in reason for reason in refused.why)
