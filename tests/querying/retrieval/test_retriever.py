"""What is found and weighed with a real, small knowledge base."""

from __future__ import annotations

from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.db.models import Value
from django.db.models.functions import Replace

from accounts.models import User
from knowledge.documents.lifecycle import add_text
from knowledge.ingest import ingest
from knowledge.models import Page
from knowledge.plugin_knowledge_base import own_knowledge_base
from plugins.models import Plugin
from querying import pipeline, releases
from querying.retrieval import rerankers, retriever
from querying.types.answer import Outcome
from querying.types.events import Done
from querying.types.question import Caller, Question, Turn
from tests.remembered import remembered

pytestmark = pytest.mark.django_db

MIXES = """# Concrete mixes

## 4.1 Durability

The water-cement ratio of concrete in severe exposure is at most 0.45.

## 4.2 Aggregates

Gravel is washed before it is weighed. Sand is kept dry, as section 4.1 explains.

## 4.3 Testing

Cubes are crushed after 28 days. Slump is measured at the mixer.
"""


@pytest.fixture
@remembered
def plugin(alice: User) -> Plugin:
    plugin = Plugin.objects.create(owner=alice, name="Mixes", slug="mixes", system_prompt="You are an engineer.")
    added = add_text(knowledge_base=own_knowledge_base(plugin), title="Mixes", text=MIXES, enqueue=False)
    ingest(added.document.pk)
    return plugin


def question(plugin: Plugin, text: str, *turns: tuple[str, str], **policy: Any) -> Question:
    for name, value in policy.items():
        setattr(plugin, name, value)
    context = tuple(Turn(role=role, content=content) for role, content in turns)
    return Question(text=text, release=releases.snapshot(plugin), caller=Caller(name="test"), context=context)


def outcome(asked: Question) -> tuple[Outcome, str]:
    last = async_to_sync(pipeline.answer)(asked)
    assert isinstance(last, Done)
    return last.answer.outcome, last.answer.text


def test_an_abbreviation_is_answered_once_the_plugin_knows_it(plugin: Plugin) -> None:
    text = "What is the greatest w/c?"
    synonyms = [["w/c", "water-cement ratio"]]
    assert outcome(question(plugin, text))[0] == Outcome.REFUSED
    answered, words = outcome(question(plugin, text, synonyms=synonyms))
    assert answered == Outcome.ANSWERED
    assert "0.45" in words


def test_a_follow_up_finds_its_subject_in_the_turn_before(plugin: Plugin) -> None:
    asked = question(plugin, "And how long until they are crushed?", ("user", "How are cubes tested?"))
    assert "28 days" in retriever.build_evidence(asked, retriever.retrieve(asked)).sentences[0].text


def test_the_reranker_is_asked_once_and_decides(plugin: Plugin, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    class Contrary(rerankers.Reranker):
        name = "contrary"

        def rerank(self, text: str, texts: Any) -> list[float]:
            calls.append(text)
            return [0.9 if "Slump" in each else 0.1 for each in texts]

    monkeypatch.setattr(rerankers, "get_reranker", Contrary)
    asked = question(plugin, "Is gravel washed, and slump measured?", ("user", "What of gravel?"))
    passages = retriever.retrieve(asked)
    evidence = retriever.build_evidence(asked, passages)
    assert calls == ["What of gravel? Is gravel washed, and slump measured?"]
    assert "Slump" in evidence.passages[0].content


def test_what_does_not_stand_on_its_page_word_for_word_is_not_read(plugin: Plugin) -> None:
    asked = question(plugin, "What is the water-cement ratio of concrete?")
    [first, *_] = retriever.retrieve(asked)
    Page.objects.filter(pk=first.page_id).update(text=Replace("text", Value("0.45"), Value("0.54")))
    assert first.content not in [passage.content for passage in retriever.retrieve(asked)]


def test_the_document_that_a_question_names_is_read_before_one_with_a_title_like_it(alice: User) -> None:
    plugin = Plugin.objects.create(owner=alice, name="Plans", slug="plans", system_prompt="You know the plans.")
    base = own_knowledge_base(plugin)
    texts = {
        "Contoso Standard Plan": "Contoso covers clinical trials. Which clinical trials it covers, the desk says.",
        "Contoso Plus Plan": "Trials of medicines are covered where a doctor recommends them.",
    }
    for title, text in texts.items():
        ingest(add_text(knowledge_base=base, title=title, text=text, enqueue=False).document.pk)
    asked = question(plugin, "Which clinical trials does the Contoso Plus Plan cover?")
    assert [one.document_title for one in retriever.retrieve(asked)] == ["Contoso Plus Plan", "Contoso Standard Plan"]
