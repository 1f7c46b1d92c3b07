from __future__ import annotations

import asyncio

import pytest

from plugins.models import Plugin
from querying import pipeline
from querying.question.courtesies import courtesy_of, may_be_courtesy
from querying.releases import resolve
from querying.types.answer import Answer, Outcome
from querying.types.confidence import Confidence
from querying.types.events import Done
from querying.types.question import Caller, Question, Turn
from tests.cover import plugin, published

__all__ = ["plugin", "published"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("many thanks for this", "thanks"),
        ("good morning to you", "greeting"),
        ("ok thank you very much indeed", "thanks"),
        ("super helpful, thanks", "thanks"),
    ],
)
def test_a_courtesy_in_other_words_is_told_by_the_classifier(text: str, kind: str) -> None:
    found = courtesy_of(text)
    assert found
    assert found.kind == kind


@pytest.mark.parametrize(
    "text",
    [
        "nominal cover",
        "thank-you letters",
        "who do I thank",
        "beam",
        "severe",
        "Everybody out?",
        "good morning yoga",
        "happy hour",
        "Good Friday",
        "welcome drink",
        "hi-fi",
        "fine",
        "why",
        "other",
        "thank you letter",
        "well done steak",
        "good afternoon tea",
        "thank you for smoking",
        "bye-laws",
        "ok so is smoking allowed",
        "That was not helpful",
        "I am leaving tomorrow",
    ],
)
def test_what_may_ask_for_something_is_no_courtesy(text: str) -> None:
    assert courtesy_of(text) is None


def test_thanks_and_greetings_are_told_from_what_is_asked() -> None:
    assert all(map(courtesy_of, ["Thanks!", "Thank you very much", "OK", "great, thanks", "Hello"]))
    assert not any(map(courtesy_of, ["And badminton?", "library hours", "Portugal", "12", "thanks, where do I park?"]))


def test_nothing_is_loaded_to_tell_that_a_question_is_one() -> None:
    assert not may_be_courtesy("What is the minimum cover for a beam exposed to weather?")
    assert not may_be_courtesy("45 mm")


@pytest.mark.django_db(transaction=True)
class TestInThePipeline:
    def answer(self, published: Plugin, text: str, *, context: tuple[Turn, ...] = ()) -> Answer:
        release = resolve(published.slug, principal=published.owner)
        asked = Question(text=text, release=release, caller=Caller(name="test"), context=context)
        done = asyncio.run(pipeline.answer(asked))
        assert isinstance(done, Done)
        return done.answer

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("Hello", "Hello. I answer questions about"),
            ("Danke!", "Gern geschehen."),
            ("Who are you?", "I answer questions about"),
        ],
    )
    def test_a_courtesy_is_answered_in_kind_and_cites_nothing(self, published: Plugin, text: str, said: str) -> None:
        answer = self.answer(published, text)
        assert answer.outcome == Outcome.ANSWERED
        assert answer.text.startswith(said)
        assert answer.reason == "courtesy"
        assert (answer.citations, answer.why, answer.nearest) == ((), (), ())
        assert answer.confidence == Confidence.HIGH

    def test_a_greeting_before_a_question_changes_nothing(self, published: Plugin) -> None:
        asked = "What are spacers made of?"
        alone, greeted = (self.answer(published, text) for text in (asked, f"Good morning! {asked} Thanks."))
        assert greeted.text == alone.text
        assert greeted.confidence == alone.confidence
