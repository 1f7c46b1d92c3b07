from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge.search.filters import Filters
from querying.question.planning import rule_planner
from querying.question.planning.label_vocabulary import LabelVocabulary
from querying.question.planning.query_plan import AnswerMode, QueryPlan, describe_plan
from tests.linear_time import grows_linearly
from tests.querying.question.planning.lists import TODAY, read

KNOWN = LabelVocabulary(
    doc_types=("prd", "goal"), statuses=("done", "on-hold"), tags=("agile", "design", "hackathons"), dated=1.0
)

# How many of each list are right at least: nine of ten, and near what they are today.
RIGHT = {
    "seen": 58,
    "unseen": 56,
    "held_out": 55,
    "posts": 55,
    "stranger_a": 58,
    "stranger_b": 58,
    "stranger_c": 58,
    "stranger_d": 58,
    "stranger_e": 58,
    "own": 28,
    "own_f": 36,
    "fresh_a": 88,
    "fresh_b": 90,
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
    ],
)
def test_a_time_of_what_is_asked_about_is_no_filter(question: str) -> None:
    assert plan(question).answer_mode == AnswerMode.VECTOR_ONLY


def test_a_status_by_itself_and_an_acronym_in_the_plural_are_labels() -> None:
    assert plan("What's on hold right now?").statuses == ("on-hold",)
    assert plan("PRDs from 2016").doc_types == ("prd",)


def test_on_after_a_year_says_what_about() -> None:
    found = plan("posts from 2015 on agile")
    assert found.time_range is not None
    assert found.time_range.end is not None
    assert found.tags == ("agile",)


MINUTES = LabelVocabulary(
    doc_types=("minutes", "memo", "incident-report", "goal"),
    statuses=("draft", "final", "active", "done"),
    projects=("Atlas",),
    tags=("parking", "hygiene", "design"),
    dated=0.9,
)


def of_minutes(question: str) -> QueryPlan:
    return rule_planner.plan_by_rules(question, vocabulary=MINUTES, today=TODAY, timezone="UTC")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("show me the incidnets from septmber 2025", "incident-report, 1 September 2025 to 30 September 2025"),
        ("memos on hygeine", "memo, hygiene"),
        ("minutes since wendesday", "minutes, since 18 November 2026"),
        ("minutes from November to February", "minutes, 1 November 2025 to 28 February 2026"),
        ("memos older than two years", "memo, until 20 November 2024"),
        ("last years minutes", "minutes, 1 January 2025 to 31 December 2025"),
        ("everything apart from the minutes", "everything, without minutes"),
        ("documents from last month that aren't minutes", "1 October 2026 to 31 October 2026, without minutes"),
        ("show me the memos, not the ones before 2022", "memo, since 1 January 2022"),
        ("which goals are not active any more?", "goal, without active"),
        ("memos but not from 2019", "memo, without 1 January 2019 to 31 December 2019"),
        ("everything on design except the draft memos", "design, without memo, draft"),
        ("documents that are neither minutes nor memos", "everything, without minutes, memo"),
        ("memos from 2019 that are not about design", "memo, 1 January 2019 to 31 December 2019, without design"),
        ("What haven't I finished?", "everything, without final, done"),
        ("Don't we have any memos on parking?", "memo, parking"),
        ("not only the memos from 2020", "memo, 1 January 2020 to 31 December 2020"),
        ("memos no older than a year", "memo, since 21 November 2025"),
    ],
)
def test_errors_ranges_and_denials_are_understood(question: str, said: str) -> None:
    found = of_minutes(question)
    assert (describe_plan(found), found.answer_mode) == (said, AnswerMode.SQL_ONLY)


def test_a_denial_of_unclear_reach_filters_nothing_and_is_said() -> None:
    found = of_minutes("memos that don't mention parking")
    assert (found.tags, found.excluded, found.dropped) == ((), (), ("parking",))
    assert "“parking” filters nothing" in describe_plan(found)


@pytest.mark.parametrize("question", ["the newest one", "what's the newest memo?", "the latest memo on parking"])
def test_the_newest_one_is_one(question: str) -> None:
    found = of_minutes(question)
    assert (found.limit, found.answer_mode) == (1, AnswerMode.SQL_ONLY)


@pytest.mark.parametrize("question", ["what happened that week?", "what did we do that month"])
def test_that_week_without_a_week_is_asked_back(question: str) -> None:
    assert of_minutes(question).followup_question


def test_what_is_excluded_is_kept_out_of_the_filters_and_is_in_the_audit_row() -> None:
    found = of_minutes("documents that aren't minutes")
    assert found.narrowed(Filters()).none_of == (Filters(doc_types=("minutes",)),)
    assert found.as_dict()["excluded"] == [{"doc_types": ("minutes",)}]
    assert "excluded" not in of_minutes("memos on parking").as_dict()


@pytest.mark.parametrize(
    "part",
    ["not ", "2014, ", "first half of ", "between ", "the ", "a", "memos ", "#parking ", "don't ", "(", "1/"],
)
def test_time_grows_no_faster_than_the_question(part: str) -> None:
    """A question is at most some thousand characters; ten times that are read."""
    assert grows_linearly(of_minutes, part, scale=5)


@settings(max_examples=50)
@given(st.text(max_size=80))
def test_no_text_breaks_it(text: str) -> None:
    of_minutes(text)


@pytest.mark.parametrize(
    "question",
    [
        "what did I write about burnout, not counting anything before 2024",
        "who chaired the board, leaving aside everything after 1999",
        "not the posts before 2022",
    ],
)
def test_a_denied_time_never_comes_out_as_the_opposite(question: str) -> None:
    days = plan(question).time_range
    assert days is None or (days.start, days.end) in [
        (date(2024, 1, 1), None),
        (None, date(1999, 12, 31)),
        (date(2022, 1, 1), None),
    ]
