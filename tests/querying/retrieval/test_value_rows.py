"""Rows that a question asks for by their cells, and rows of one name in two tables."""

from __future__ import annotations

from language.terms import terms
from querying.question.resolve import WeightedTurn
from querying.retrieval.evidence import MAX_SCORED_PASSAGES, score_evidence
from querying.types.evidence import Evidence
from tests.querying.passages import passage
from tests.querying.retrieval.test_table_evidence import judged

ROOMS = (
    "Room: Main hall | Floor: Ground floor | Seats: 120\n"
    "Room: Studio | Floor: First floor | Seats: 20\n"
    "Room: Music room | Floor: First floor | Seats: 30\n"
)
COURSES = (
    "| Course | Day | Place | Teacher |\n|---|---|---|---|\n"
    "| Pottery | Monday | Workshop | Anna Keller |\n"
    "| Yoga | Friday | Main hall | Tom Berger |\n"
    "| Chess club | Friday | Library | |\n"
)
FEES = "Course: Pottery | Material: Clay and glaze\nCourse: Drawing | Material: Paper\n"
COACHES = (
    "Group: Judo | Venue: Dojo | Coach: Ken Mori\nGroup: Badminton | Venue: Gym | Coach: Sally Moore\n"
    "Group: Table tennis | Venue: Gym\n"
)


def marked(evidence: Evidence) -> list[str]:
    return sorted(one.text for one in evidence.sentences if one.value_rows)


def test_rows_with_the_value_are_marked_and_come_first() -> None:
    found = judged("Which rooms are on the first floor?", ROOMS)
    assert marked(found) == ROOMS.splitlines()[2:0:-1]
    assert all(one.value_rows for one in found.sentences[:2])
    found = judged("Which courses are on Friday?", COURSES)
    assert [text.split()[1] for text in marked(found)] == ["Chess", "Yoga"]


def test_no_row_is_marked_for_a_value_that_no_row_has() -> None:
    assert marked(judged("Which courses are on Sunday?", COURSES)) == []


def test_the_table_that_says_more_of_the_question_has_the_rows() -> None:
    hours = "Facility: Office | Days: Friday\nFacility: Library | Days: Monday\n"
    assert all(text.startswith("|") for text in marked(judged("Which courses are on Friday?", COURSES, hours)))


def test_a_row_without_the_column_that_is_asked_for_comes_behind_one_of_its_name_that_has_it() -> None:
    best = judged("Where is the pottery course?", FEES, COURSES).sentences[0]
    assert "Workshop" in best.text
    assert best.asked_words is not None


def test_a_row_that_comes_first_though_its_passage_was_not_scored_is_evidence() -> None:
    places = "Course: Pottery | Day: Monday | Venue: Workshop\nCourse: Yoga | Day: Friday | Venue: Main hall\n"
    fees = FEES.replace("\n", " | Fee: 3\n")
    others = [f"Something about gardens and trees, part {number}." for number in range(MAX_SCORED_PASSAGES)]
    scores = [0.95, *(0.4 for _ in others), 0.3]
    passages = [
        passage(text, number=number, score=score)
        for number, (text, score) in enumerate(zip([fees, *others, places], scores, strict=True), 1)
    ]
    question = "Where is the pottery course?"
    turns = [WeightedTurn(text=question, weight=1.0)]
    found = score_evidence(turns=turns, passages=passages, weights=dict.fromkeys(terms(question), 1.0))
    assert "Workshop" in found.sentences[0].text
    assert found.strength > 0.4


def test_an_empty_cell_that_is_asked_for_in_other_words_is_told() -> None:
    for question, text in (("Who teaches the chess club?", COURSES), ("Who is in charge of table tennis?", COACHES)):
        best = judged(question, text).sentences[0]
        assert best.is_cell_empty, question


def test_rows_that_meet_one_of_two_conditions_or_a_denied_one_are_no_evidence() -> None:
    """Also where another passage shows them again."""
    found = judged("Does Anna Keller teach on Friday?", COURSES, COURSES)
    rows = [one for one in found.sentences if one.text.startswith("| ") and "Teacher" not in one.text]
    assert rows
    assert all(one.ranges.excluded and not one.strength for one in rows)
    assert found.strength < 0.45
    found = judged("Which courses are not on Friday?", COURSES)
    assert [text.split()[1] for text in marked(found)] == ["Pottery"]
    assert found.sentences[0].value_rows


def test_where_no_row_meets_the_conditions_only_a_sentence_with_all_values_answers() -> None:
    said, other = "Anna Keller also helps on Friday.", "All teachers meet on Friday."
    found = judged("Does Anna Keller teach on Friday?", COURSES, f"{said} {other}")
    assert [one.text for one in found.sentences if one.score] == [said]
    found = judged("Where is the main hall?", COURSES, "The main hall is upstairs. Bread is sold there.")
    assert [one.text for one in found.sentences if one.score] == ["The main hall is upstairs."]
    found = judged("How do I book the main hall?", COURSES, "Rooms are booked at the office.")
    assert found.sentences[0].text == "Rooms are booked at the office."


def test_a_sentence_may_say_a_state_of_no_row_in_other_words_but_not_leave_out_a_day() -> None:
    states = COURSES.replace("| Teacher |", "| State |").replace("Tom Berger", "Full").replace("Anna Keller", "Open")
    found = judged("Is the workshop open on Friday?", states, "On Fridays you can use the workshop from 9:00.\n")
    assert found.sentences[0].text.startswith("On Fridays")
    assert found.strength > 0.45
    assert judged("Is the workshop open on Friday?", states, "The workshop is open to members.\n").strength < 0.45
