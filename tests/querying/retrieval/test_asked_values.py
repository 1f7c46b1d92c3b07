from __future__ import annotations

import pytest

from language.terms import terms
from querying.retrieval.asked_column import Grid
from querying.retrieval.asked_values import rows_asked_by_value

COURSES = Grid(
    labels=["Course Pottery", "Course Yoga for beginners", "Course Folk dance", "Course Choir", "Course Library tour"],
    heads=["Day", "Place", "Room", "Teacher", "Price"],
    cells=[
        ["Monday", "Library", "2", "Anna Keller", "€95"],
        ["Friday", "Main hall", "A", "Tom Berger", "€60"],
        ["Friday", "Main hall", "B", "Jonas Weber", "€45"],
        ["Tuesday to Thursday", "Hall", "A", "Mira Lang, Tom Berger", "free"],
        ["Monday", "Gate", "C", "", "€95"],
    ],
    caption=frozenset(terms("Courses in spring")),
)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Which courses are on Friday?", [1, 2]),
        ("Which courses are on Wednesday?", [3]),
        ("What can I do on Mondays?", [0, 4]),
        ("Which courses take place in the main hall?", [1, 2]),
        ("What does Tom Berger teach?", [1, 3]),
        ("Which courses does Tom Berger teach on Friday?", [1]),
        ("Which courses are on Monday or Friday?", [0, 1, 2, 4]),
        ("Which courses are in room A?", [1, 3]),
        ("Which courses are free?", [3]),
        ("Is there a course on Friday?", [1, 2]),
        ("Which courses are before Wednesday?", [0, 3, 4]),
        ("Which courses are after Monday?", [1, 2, 3]),
        ("Which courses are there by Monday?", [0, 4]),
        ("Which courses are from Tuesday until Friday?", [1, 2, 3]),
        ("Which courses are no later than Monday?", [0, 4]),
        ("Does Tom Berger teach on Friday?", [1]),  # two values are no chance
        ("How much do courses in the main hall cost?", [1, 2]),
        ("Where does Tom Berger teach?", [1, 3]),
        ("Where are the courses of Tom Berger?", [1, 3]),
        ("Which courses are not on Friday?", [0, 3, 4]),
        ("Which courses are on days other than Monday?", [1, 2, 3]),
        ("Which courses other than the ones on Friday are there in the library?", [0]),
        ("Apart from pottery, which courses are on Monday?", [4]),
        ("Which courses are not led by Tom Berger?", [0, 2]),  # nobody knows who leads the last one
    ],
)
def test_a_cell_that_the_question_says_as_a_whole_asks_for_its_rows(question: str, rows: list[int]) -> None:
    assert list(rows_asked_by_value(question, COURSES).columns) == rows


@pytest.mark.parametrize(
    "question",
    [
        "Which courses are on Sunday?",
        "Isn't there a course on Friday?",
        "Which courses are not on Friday in the main hall?",  # nobody knows which of both is denied
        "Which teachers are not there on Friday?",  # other courses of theirs may be
        "Does Mira Lang teach in the main hall?",  # each is said, of two rows
        "Which courses are in the gate on Friday?",
        "Is pottery on Friday?",  # it names another row
        "Where do I book the library tour?",  # a word of the row's name is no place
        "Which courses cost less than €95?",  # a figure is left to the ranges
        "Which courses are in Berger's garden?",
        "How do I appeal against a decision of the main hall about my parking permit?",
        "Which courses does Peter Fox teach children on Friday?",
        "Is Friday a holiday?",
        "Which courses are before Monday?",
        "Can I park on Mondays?",
        "Is Anna Keller ill?",
        "Where is the main hall?",
        "How do I get to the main hall?",
        "How do I book a course on Friday?",
        "Why is the library closed?",
        "Why not on Friday?",
        "How come there is no course on Friday?",
        "What if I can't make it on Friday?",
        "What do I do if I cannot come on Friday?",
        "What happens to my course when I do not show up on Friday?",
        "Who does not teach on Friday?",
        "Where is there no course on Friday?",
        "Which courses are not only on Friday?",
        "Which courses are on any day but Friday?",
    ],
)
def test_other_questions_ask_for_no_row_by_its_cells(question: str) -> None:
    assert not rows_asked_by_value(question, COURSES).columns


def test_a_value_that_all_rows_have_picks_none() -> None:
    same = Grid(labels=["Group A", "Group B"], heads=["Hall"], cells=[["Dojo"], ["Dojo"]])
    assert not rows_asked_by_value("Which groups are in the dojo?", same).columns


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Does Mira Lang teach on Friday?", {0, 1, 2, 3, 4}),  # no row says both, so none answers
        ("Which courses are not on Friday?", {1, 2}),
        ("Where is the main hall?", {0, 1, 2, 3, 4}),  # what takes place there does not say where it is
        ("Which teachers are not there on Friday?", {0, 1, 2, 3, 4}),
        ("Which courses are on Friday?", set()),
        ("Is pottery in the main hall on Friday?", set()),  # the row that it names answers it
        ("Isn't there a course on Friday?", set()),
    ],
)
def test_rows_that_do_not_meet_what_is_asked_are_excluded(question: str, rows: set[int]) -> None:
    assert rows_asked_by_value(question, COURSES).excluded == rows


def test_the_column_is_meant_whose_head_the_question_names() -> None:
    bins = Grid(
        labels=["Street Elm", "Street Ash", "Street Oak"],
        heads=["Paper bin", "Organic bin"],
        cells=[["Monday", "Friday"], ["Friday", "Monday"], ["Friday", "Tuesday"]],
    )
    assert list(rows_asked_by_value("In which streets is the organic bin emptied on Monday?", bins).columns) == [1]


def test_a_day_within_the_range_of_a_cell_is_denied_too() -> None:
    courses = Grid(labels=["Course A", "Course B"], heads=["Day"], cells=[["Monday to Friday"], ["Saturday"]])
    assert list(rows_asked_by_value("Which courses are not on Friday?", courses).columns) == [1]


def test_a_table_of_one_row_has_none_where_its_value_is_denied() -> None:
    one = Grid(labels=["Course Yoga"], heads=["Day"], cells=[["Friday"]])
    assert rows_asked_by_value("Which courses are not on Friday?", one).unmet == {"friday"}


def test_a_value_that_denies_is_not_denied_by_the_question() -> None:
    boats = Grid(labels=["Boat A", "Boat B"], heads=["Bicycles"], cells=[["not carried"], ["carried free"]])
    assert list(rows_asked_by_value("On which boats are bicycles not carried?", boats).columns) == [0]
