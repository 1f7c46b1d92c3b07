"""When a tree answers, and when the documents do."""

from __future__ import annotations

import json
from typing import Any

from asgiref.sync import async_to_sync

from marketplace.demo import CONTENT_DIR
from plugins.models import Release
from querying.answering.llms.extractive import Extractive
from querying.question.consultation import Consultation
from querying.question.resolve import resolve_question
from querying.question.tree_consultation import consult_trees
from querying.types.question import Caller, Question, Turn
from tests.querying.passages import passage
from tests.querying.question.test_tree_selection import PAINT_DATA

SAID = "Which primer goes on a steel gate in the garden?"


def consulted(text: str, *pages: str, facts: dict[str, Any] | None = None) -> Consultation:
    about = "Which primer, paint or varnish goes on steel or wood."
    release = Release(trees=[{"name": "Paint systems", "description": about, "tree_data": PAINT_DATA}])
    question = Question(text=text, release=release, caller=Caller(name="alice"), facts=facts or {})
    return async_to_sync(consult_trees)(question, passages=[passage(page) for page in pages], llm=Extractive())


def test_a_tree_that_is_at_an_end_by_the_questions_words_answers() -> None:
    assert consulted(SAID).recommendation == "Two coats of zinc primer"
    assert consulted(SAID, "Gates are painted in spring.").has_decided


def test_where_a_page_says_everything_that_the_tree_lacks_the_documents_answer() -> None:
    assert not consulted(SAID, "A gate that stands in a garden gets a primer without zinc.").has_decided


def test_whoever_gives_the_fact_means_the_tree() -> None:
    page = "A gate that stands in a garden gets a primer without zinc."
    assert consulted("Which primer goes on a gate in the garden?", page, facts={"surface": "steel"}).has_decided


def test_the_words_that_stated_a_fact_are_kept_with_their_option() -> None:
    assert consulted(SAID).options_by_words == {"steel": ["steel"]}
    assert consulted("Which primer goes on it?").options_by_words == {}


def test_the_unit_of_a_number_that_the_tree_asks_for_is_no_other_matter() -> None:
    abroad = json.loads((CONTENT_DIR / "remote_work" / "abroad_tree.json").read_text())
    stored = {"name": abroad["name"], "description": abroad["description"], "tree_data": abroad}
    question = Question(
        text="May I work from Spain for three weeks?", release=Release(trees=[stored]), caller=Caller(name="alice")
    )
    found = async_to_sync(consult_trees)(question, passages=[passage("Ask three weeks before.")], llm=Extractive())
    assert found.facts == {"region": "European Union"}
    assert found.clarification is not None


def test_a_fragment_is_about_what_the_question_before_was_about() -> None:
    abroad = json.loads((CONTENT_DIR / "remote_work" / "abroad_tree.json").read_text())
    release = Release(trees=[{"name": abroad["name"], "description": abroad["description"], "tree_data": abroad}])

    def continued(before: str) -> Consultation:
        turns = (Turn(role="user", content=before), Turn(role="assistant", content="Yes."))
        question = Question(text="And Spain?", release=release, caller=Caller(name="alice"), context=turns)
        llm = Extractive()
        return async_to_sync(consult_trees)(async_to_sync(resolve_question)(question, llm=llm), passages=[], llm=llm)

    assert continued("May I work from Portugal for a few weeks?").walk is not None
    assert continued("Which public holidays are there in Portugal?").walk is None


def test_a_bound_decides_and_is_logged_as_no_number() -> None:
    abroad = json.loads((CONTENT_DIR / "remote_work" / "abroad_tree.json").read_text())
    stored = {"name": abroad["name"], "description": abroad["description"], "tree_data": abroad}
    question = Question(
        text="May I work from Spain for up to 20 working days?",
        release=Release(trees=[stored]),
        caller=Caller(name="alice"),
    )
    found = async_to_sync(consult_trees)(question, passages=[], llm=Extractive())
    assert found.has_decided
    assert found.facts == {"region": "European Union"}
    assert found.path[1] == {**found.path[1], "result": "false", "value": "up to 20 working days"}
