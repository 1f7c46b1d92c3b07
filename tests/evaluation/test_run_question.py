"""Which citations count for a sentence of an answer."""

from typing import Any

import pytest

from evaluation import run_question
from evaluation.eval_corpus import release_corpus
from evaluation.eval_types import EvalQuestion
from evaluation.run_question import statement_citations
from plugins.models import Plugin
from querying import pipeline, releases
from querying.models import Query
from querying.types.answer import Answer, Citation, Outcome
from tests.querying.passages import passage


def cited(number: int, excerpt: str) -> Citation:
    return Citation(number=number, passage=passage(excerpt), start=0, end=len(excerpt), excerpt=excerpt, score=1.0)


def statements(text: str, *excerpts: str, disclaimer: str = "") -> list[tuple[int, ...]]:
    citations = tuple(cited(number, excerpt) for number, excerpt in enumerate(excerpts, start=1))
    answer = Answer(text=text, outcome=Outcome.ANSWERED, citations=citations)
    return list(statement_citations(answer, disclaimer=disclaimer))


def test_every_sentence_of_one_quotation_has_the_mark_behind_it() -> None:
    text = "Before descaling:\n1. Empty the tank.\n2. Fill it with water. [Source 1]"
    assert statements(text, "Before descaling:\n\n1. Empty the tank.\n2. Fill it\nwith water.") == [(0,), (0,), (0,)]


def test_a_sentence_that_the_next_citation_does_not_hold_has_none() -> None:
    assert statements("It is quick. Empty the tank. [Source 1]", "Empty the tank.") == [(), (0,)]
    assert statements("Empty the tank. [Source 1] It is quick.", "Empty the tank.") == [(0,), ()]


def test_the_disclaimer_is_no_statement() -> None:
    text = "Empty the tank. [Source 1]\n\nAsk a plumber."
    assert statements(text, "Empty the tank.", disclaimer="Ask a plumber.") == [(0,)]


@pytest.mark.django_db
def test_a_run_that_is_cancelled_leaves_no_question_in_the_log(plugin: Plugin, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = run_question.build_question(EvalQuestion(id="1", text="Why?"), release_corpus(releases.snapshot(plugin)))

    async def is_cancelled(question: Any, *, llm: Any) -> None:
        await Query.objects.acreate(id=question.id, plugin=plugin, question=question.text, outcome="abandoned")
        raise KeyboardInterrupt

    monkeypatch.setattr(pipeline, "answer", is_cancelled)
    with pytest.raises(KeyboardInterrupt):
        run_question.run_pipeline(asked)
    assert not Query.objects.exists()
