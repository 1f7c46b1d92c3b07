from __future__ import annotations

import pytest

from querying.question.planning import rule_planner
from querying.question.planning.label_vocabulary import LabelVocabulary
from querying.question.planning.query_plan import AnswerMode, QueryPlan
from tests.querying.question.planning.lists import TODAY, read

KNOWN = LabelVocabulary(
    doc_types=("prd", "goal"), statuses=("done", "on-hold"), tags=("agile", "design", "hackathons"), dated=1.0
)

RIGHT = {
    "seen": 60,
    "unseen": 60,
    "held_out": 59,
    "posts": 58,
    "stranger_a": 60,
    "stranger_b": 60,
    "stranger_c": 60,
    "own": 30,
    "stranger_d": 60,
    "stranger_e": 60,
    "own_f": 39,
}


@pytest.mark.parametrize("name", RIGHT)
def test_questions_are_planned_as_a_careful_reader_would(name: str) -> None:
    right = {asked.question: asked.is_right() for asked in read(name)}
    wrong = [question for question, is_right in right.items() if not is_right]
    assert len(right) - len(wrong) >= RIGHT[name], wrong


def plan(question: str) -> QueryPlan:
    return rule_planner.plan_by_rules(question, vocabulary=KNOWN, today=TODAY, timezone="UTC")


@pytest.mark.parametrize(
    "told",
    [
        "posts on design because I'm giving a talk on Friday",
        "I'm giving a talk on Friday, any posts on design?",
        "Sorry to ask again, but which posts on design do we have?",
        "Show me the design posts for a talk I'm giving",
        "My boss wants the posts on design, could you send them over?",
        "where can I find posts on design?",
        "Which posts on design have gone up?",
    ],
)
def test_why_somebody_asks_is_no_part_of_what_is_asked(told: str) -> None:
    found = plan(told)
    assert (found.answer_mode, found.tags, found.time_range) == (AnswerMode.SQL_ONLY, ("design",), None)


def test_a_time_in_a_clause_of_its_own_filters() -> None:
    found = plan("posts on agile, since 2016 please").time_range
    assert found is not None
    assert (found.start and found.start.isoformat(), found.end) == ("2016-01-01", None)


def test_what_was_told_counts_where_the_request_alone_names_nothing() -> None:
    found = plan("We had a fire in 2015. Which notes speak of it?")
    assert found.time_range is not None
    assert found.answer_mode == AnswerMode.HYBRID


@pytest.mark.parametrize(
    "question",
    [
        "How many trams must run by 2030?",
        "Who has to be on the new system by the end of 2016?",
        "How do you plan for next year's hackathon?",
        "What did last year's audit find?",
    ],
)
def test_a_time_of_what_is_asked_about_is_no_filter(question: str) -> None:
    assert plan(question).answer_mode == AnswerMode.VECTOR_ONLY


def test_what_documents_say_in_short_is_searched_and_a_period_in_short_is_listed() -> None:
    assert plan("Summarise the agile posts from 2014").answer_mode == AnswerMode.HYBRID
    assert plan("Summarise 2014").answer_mode == AnswerMode.SQL_ONLY


def test_a_status_by_itself_and_an_acronym_in_the_plural_are_labels() -> None:
    assert plan("What's on hold right now?").statuses == ("on-hold",)
    assert plan("PRDs from 2016").doc_types == ("prd",)


def test_on_after_a_year_says_what_about() -> None:
    found = plan("posts from 2015 on agile")
    assert found.time_range is not None
    assert found.time_range.end is not None
    assert found.tags == ("agile",)
