from __future__ import annotations

import pytest

from language.terms import terms
from querying.answering.llms.extractive.sentence_selection import select_sentences
from querying.question.resolve import WeightedTurn
from querying.retrieval.evidence import score_evidence
from querying.retrieval.weekday_ranges import with_weekdays
from querying.types.evidence import NO_RANGE_MATCH, Evidence
from tests.querying.passages import passage

WEEK = "The indoor pool is open from Monday to Friday from 6:30 to 21:00."
SATURDAY = "On Saturdays it is open from 8:00 to 20:00, and on Sundays from 9:00 to 18:00."
OUTDOORS = "The outdoor pool is open every day from 10:00 to 19:30."
SAUNA = "The sauna is open from Tuesday to Sunday from 12:00 to 21:00."
HOURS = f"{WEEK} {SATURDAY}\n\n{OUTDOORS}\n\n{SAUNA}"


def evidence_for(question: str) -> Evidence:
    turns = [WeightedTurn(text=question, weight=1.0)]
    return score_evidence(turns=turns, passages=[passage(HOURS)], weights=dict.fromkeys(terms(question), 1.0))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When is the indoor pool open on Saturdays?", SATURDAY),
        ("Is the indoor pool open on Sundays?", SATURDAY),
        ("When is the indoor pool open on Wednesdays?", WEEK),
        ("When is the outdoor pool open on Sundays?", OUTDOORS),
        ("Is the sauna open on Saturdays?", SAUNA),
    ],
)
def test_the_sentence_of_the_asked_day_answers(question: str, answer: str) -> None:
    evidence = evidence_for(question)
    first, *others = (one.sentence for one in select_sentences(question, evidence))
    assert first.text == answer
    assert not any(one.ranges.other_days for one in others)
    assert first.weakest > 0.5, "it may be called high"


def test_a_question_for_two_days_is_answered_for_both() -> None:
    saturday, sunday = (
        "On Saturday the pool is open from 8:00 to 20:00.",
        "On Sunday the pool is open from 9:00 to 18:00.",
    )
    question = "When does the pool open on Saturday and Sunday?"
    turns = [WeightedTurn(text=question, weight=1.0)]
    weights = dict.fromkeys(terms(question), 1.0)
    evidence = score_evidence(turns=turns, passages=[passage(f"{saturday} {sunday}")], weights=weights)
    assert {one.sentence.text for one in select_sentences(question, evidence)} == {saturday, sunday}


def test_another_day_is_no_near_match() -> None:
    week = next(one for one in evidence_for("When is the indoor pool open on Saturdays?").sentences if one.text == WEEK)
    assert week.weakest < 0.5, "an answer from it is never called high"


def test_a_question_that_names_no_day_is_left_alone() -> None:
    assert with_weekdays("When is the pool open?", [WEEK], [NO_RANGE_MATCH]) == [NO_RANGE_MATCH]


def test_a_sentence_without_days_says_nothing_of_them() -> None:
    assert with_weekdays("Is it open on Monday?", ["Take a shower."], [NO_RANGE_MATCH]) == [NO_RANGE_MATCH]


def test_a_row_of_an_earlier_day_is_before_the_day_and_a_sentence_is_held_against_the_day_itself() -> None:
    rows = ["| Yoga | Friday |", "| Judo | Monday |", "Register on Friday."]
    friday, monday, sentence = with_weekdays("Which courses are before Friday?", rows, [NO_RANGE_MATCH] * 3)
    assert friday.other_days
    assert monday.days == sentence.days == set(terms("Friday"))
