"""A follow-up is the question it stands for, and what it adds must be in the documents."""

from __future__ import annotations

from contextlib import aclosing

import pytest
from asgiref.sync import async_to_sync

from plugins.models import Plugin
from querying import pipeline
from querying.models import Query
from querying.types.answer import Outcome
from querying.types.events import Done, Status
from querying.types.question import Question, Turn
from tests.querying.question.planning.test_planned_queries import answered, asked

pytestmark = pytest.mark.django_db

COVER = (
    Turn(role="user", content="What is the nominal cover of a beam in severe exposure?"),
    Turn(role="assistant", content="For severe exposure the nominal cover of a beam is 45 mm."),
)


@async_to_sync
async def messages_of(question: Question) -> list[str]:
    async with aclosing(pipeline.stream(question)) as events:
        found = [event async for event in events]
    assert isinstance(found[-1], Done)
    return [event.message for event in found if isinstance(event, Status)]


def test_the_question_that_a_follow_up_stands_for_is_shown(published: Plugin) -> None:
    shown = messages_of(asked("and in mild exposure?", published, context=COVER))
    assert "Read as “What is the nominal cover of a beam in mild exposure?”" in shown
    assert Query.objects.get().full_question == "What is the nominal cover of a beam in mild exposure?"
    assert not any(
        message.startswith("Read as") for message in messages_of(asked("What are spacers?", published, context=COVER))
    )


def test_a_follow_up_about_what_no_page_mentions_is_refused_and_named(published: Plugin) -> None:
    answer, _ = answered(asked("and for zeppelins?", published, context=COVER))
    assert answer.outcome == Outcome.REFUSED
    assert "“zeppelins”" in " ".join(answer.why)


def test_a_question_in_another_language_is_told_so_in_its_own(published: Plugin) -> None:
    answer, _ = answered(asked("Wer hat die Schachweltmeisterschaft in Reykjavik gewonnen?", published))
    assert answer.outcome == Outcome.REFUSED
    [why] = answer.why
    assert why.startswith("Die Dokumente sind in einer anderen Sprache")
