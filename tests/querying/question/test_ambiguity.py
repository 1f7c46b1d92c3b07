"""A question that refers to what nobody has named is asked back, with what the documents speak of to choose from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from asgiref.sync import async_to_sync

from accounts.models import User
from knowledge.models import Document
from knowledge.search.filters import Filters
from marketplace.publishing.publish import publish
from plugins.models import Plugin
from querying import pipeline, releases
from querying.models import Query
from querying.question.resume import resume_from_token
from querying.types.answer import Answer, Outcome
from querying.types.events import Done
from querying.types.question import Caller, Options, Question, Turn
from tests.cover import give_document
from tests.remembered import remembered

pytestmark = pytest.mark.django_db

CLINICS = {
    "Maplewood": "The Maplewood Clinic provides eye tests and vaccinations. A visit to it costs nine pounds.",
    "Northgate": "The Northgate Clinic provides dental services and hearing tests. A visit to it costs twelve pounds.",
    "Old Harbour": "The Old Harbour Clinic provides vaccinations and other services. A visit to it costs ten pounds.",
}


@pytest.fixture
@remembered
def clinics(alice: User) -> Plugin:
    plugin = Plugin.objects.create(
        owner=alice, name="Clinics", slug="clinics", domain="health", system_prompt="Answer."
    )
    for title, text in CLINICS.items():
        give_document(plugin, title=title, text=f"# {title}\n\n{text}\n")
    publish(plugin, by=alice)
    return plugin


def asked(text: str, plugin: Plugin, **fields: Any) -> Question:
    release = releases.resolve(plugin.slug, principal=plugin.owner)
    return Question(text=text, release=release, caller=Caller(name="test", user_id=plugin.owner_id), **fields)


def answer(question: Question) -> Answer:
    done = async_to_sync(pipeline.answer)(question)
    assert isinstance(done, Done), done
    return done.answer


def said(*turns: str) -> tuple[Turn, ...]:
    return tuple(Turn(role=("user", "assistant")[at % 2], content=turn) for at, turn in enumerate(turns))


NAMES = {"Maplewood Clinic", "Northgate Clinic", "Old Harbour Clinic"}


def test_one_of_many_things_of_that_name_is_asked_back(clinics: Plugin) -> None:
    asking = answer(asked("What services does this clinic provide?", clinics))
    assert (asking.outcome, asking.reason, asking.citations) == (Outcome.CLARIFY, "unclear_reference", ())
    assert asking.clarification is not None
    assert (asking.clarification.question, asking.clarification.field) == ("Which clinic do you mean?", "subject")
    assert set(asking.clarification.options) == NAMES
    assert Query.objects.get().outcome == "clarify"


def test_the_answer_resumes_the_question(clinics: Plugin) -> None:
    asking = answer(asked("What services does this clinic provide?", clinics))
    assert asking.clarification is not None
    resumed = resume_from_token(asked("", clinics), token=asking.clarification.token, answer="Northgate Clinic")
    given = answer(resumed)
    assert given.outcome == Outcome.ANSWERED
    assert given.citations[0].passage.document_title == "Northgate"


def test_a_follow_up_to_nothing_is_not_answered(clinics: Plugin) -> None:
    assert answer(asked("What about that?", clinics)).outcome in (Outcome.CLARIFY, Outcome.REFUSED)


@pytest.mark.parametrize(
    "text",
    [
        "What services does the Northgate Clinic provide?",
        "What services does the clinic at Northgate provide?",
        "If a clinic tests hearing, what else does this clinic provide?",
        "What does it cost to visit the Northgate Clinic?",
        "How much does Northgate cost this year?",
        "Is this possible?",
    ],
)
def test_what_is_named_is_not_asked_back(clinics: Plugin, text: str) -> None:
    assert answer(asked(text, clinics)).outcome != Outcome.CLARIFY


def test_what_the_conversation_named_is_not_asked_back(clinics: Plugin) -> None:
    context = said("Where is the Northgate Clinic?", "The Northgate Clinic is at the north gate.")
    for text in ("What services does this clinic provide?", "How much does a visit to this clinic cost?"):
        assert answer(asked(text, clinics, context=context)).outcome != Outcome.CLARIFY


def test_documents_that_the_caller_names_are_what_is_meant(clinics: Plugin) -> None:
    named = Document.objects.get(title="Northgate")
    question = asked("What services does this clinic provide?", clinics)
    narrowed = replace(question, options=Options(filters=Filters(document_ids=(named.pk,))))
    assert answer(narrowed).outcome == Outcome.ANSWERED


def test_where_nothing_competes_nothing_is_asked_back(alice: User) -> None:
    plugin = Plugin.objects.create(owner=alice, name="One", slug="one", domain="health", system_prompt="Answer.")
    give_document(plugin, title="Northgate", text=f"# Northgate\n\n{CLINICS['Northgate']}\n")
    publish(plugin, by=alice)
    assert answer(asked("What services does this clinic provide?", plugin)).outcome == Outcome.ANSWERED
