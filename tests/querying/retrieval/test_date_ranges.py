from __future__ import annotations

import pytest

from language.terms import terms
from querying.answering.llms.extractive.sentence_selection import select_sentences
from querying.answering.sufficiency import assess_sufficiency
from querying.question.resolve import WeightedTurn
from querying.retrieval.date_ranges import with_dates
from querying.retrieval.evidence import score_evidence
from querying.types.evidence import NO_RANGE_MATCH, Evidence
from tests.querying.passages import passage

POOL = "The outdoor pool is open from 15 May to 15 September."
ANY_HOUR = "Lawns may be watered at any hour until 31 May."
EVENING = "From 1 June watering is allowed only after 19:00."
LOW, HIGH = "| 15 April – 30 June | 8 EUR |", "| 1 July – 31 August | 12 EUR |"
RULES = f"{POOL}\n\n{ANY_HOUR} {EVENING}\n\n| Season | Rowing boat per hour |\n|---|---|\n{LOW}\n{HIGH}\n"


def evidence_for(question: str) -> Evidence:
    turns = [WeightedTurn(text=question, weight=1.0)]
    return score_evidence(turns=turns, passages=[passage(RULES)], weights=dict.fromkeys(terms(question), 1.0))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is the outdoor pool open on 1 June?", POOL),
        ("When is the outdoor pool open in July?", POOL),
        ("When may lawns be watered on 20 April?", ANY_HOUR),
        ("When may lawns be watered in July?", EVENING),
        ("What does a rowing boat cost per hour in May?", LOW),
        ("What does a rowing boat cost per hour on 20 July?", HIGH),
    ],
)
def test_the_sentence_or_row_of_the_asked_date_answers(question: str, answer: str) -> None:
    first, *others = (one.sentence for one in select_sentences(question, evidence_for(question)))
    assert first.text == answer
    assert not any(one.ranges.other_days for one in others)


@pytest.mark.parametrize("question", ["Is the outdoor pool open in October?", "Is the outdoor pool open on 2 May?"])
def test_a_sentence_about_other_dates_is_no_near_match(question: str) -> None:
    found = evidence_for(question)
    best = found.sentences[0]
    assert best.text == POOL
    assert best.weakest < 0.5, "an answer from it is never called high"
    judged = assess_sufficiency(question, found, threshold=0.45)
    assert not judged.passes
    assert "speaks of other days" in " ".join(judged.why)


def test_the_date_of_another_thing_lacks_the_word_of_the_thing_that_is_asked_about() -> None:
    text = "Trout may be caught from 16 March to 30 September. Pike may be caught from 1 May to 31 January."
    question = "Can trout be caught in November?"
    turns = [WeightedTurn(text=question, weight=1.0)]
    found = score_evidence(turns=turns, passages=[passage(text)], weights=dict.fromkeys(terms(question), 1.0))
    judged = assess_sufficiency(question, found, threshold=1.0)
    assert judged.grounds.has_signs, "an answer from it is never called high"
    assert "does not mention trout" in " ".join(judged.why)


def test_a_date_decides_however_little_it_weighs() -> None:
    question = "Is the outdoor pool open in October?"
    turns, weights = [WeightedTurn(text=question, weight=1.0)], {**dict.fromkeys(terms(question), 1.0), "octob": 0.1}
    best = score_evidence(turns=turns, passages=[passage(RULES)], weights=weights).sentences[0]
    assert best.text == POOL
    assert best.weakest < 0.5


def test_the_question_is_read_with_the_range_in_the_place_of_the_date() -> None:
    (match,) = with_dates("Is the pool open on 1 June 2026?", [POOL], [NO_RANGE_MATCH])
    assert match.wording == "Is the pool open from 15 May to 15 September?"
    assert match.numbers == {"1"}, "the rule does not say of which year it is"


def test_a_day_is_not_stated_by_the_name_of_its_month() -> None:
    (match,) = with_dates("Is the fair on 5 May?", ["The fair is held in May."], [NO_RANGE_MATCH])
    assert match.days == {"may"}
    assert not match.numbers
    assert not match.wording


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("When is the pool open?", POOL),
        ("Is the café open in June?", "The café is open from mid-May to mid-September."),
    ],
)
def test_where_no_exact_date_is_named_nothing_changes(question: str, sentence: str) -> None:
    assert with_dates(question, [sentence], [NO_RANGE_MATCH]) == [NO_RANGE_MATCH]


@pytest.mark.parametrize(
    ("day_first", "asked", "days", "is_unclear"),
    [
        (True, "12 March 2026", True, False),
        (True, "3 December 2026", False, False),
        (False, "3 December 2026", True, False),
        (None, "12 March 2026", True, True),
        (None, "3 December 2026", True, True),
        (None, "4 May 2026", False, False),
    ],
)
def test_a_date_in_figures_is_read_as_its_document_writes_them(
    day_first: bool | None, asked: str, days: bool, is_unclear: bool
) -> None:
    sentences, matches = ["The meeting is on 12/03/2026."], [NO_RANGE_MATCH]
    (match,) = with_dates(f"Is it on {asked}?", sentences, matches, day_first=[day_first])
    assert bool(match.days) == days
    assert bool(match.other_days) != days
    assert match.is_date_unclear == is_unclear


def test_since_a_day_of_a_year_says_nothing_of_a_month_without_a_year() -> None:
    sentence = ["Since 1 April 2024 the fee is 5 EUR."]
    assert with_dates("What is the fee in February?", sentence, [NO_RANGE_MATCH]) == [NO_RANGE_MATCH]
    (match,) = with_dates("What is the fee in February 2025?", sentence, [NO_RANGE_MATCH])
    assert match.days
