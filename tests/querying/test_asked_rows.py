from __future__ import annotations

from dataclasses import replace

import pytest

from querying.answering.llms.extractive.unquoted_rows import describe_unquoted_rows
from querying.types.evidence import Evidence, RangeMatch
from tests.querying.test_extractive import answered, read, under

EDITIONS = """| Edition | Users | Price |
|---|---|---|
| Solo | 1 | €89 |
| Office | 10 | €390 |
| Office Plus | 25 | €790 |
"""
FARES = """Ticket | Adult | Child
Ticket: Single, one zone | Adult: £2.20 | Child: £1.10
Ticket: Single, two zones | Adult: £3.40 | Child: £1.70
Ticket: Monthly ticket | Adult: £74.00 | Child: £37.00"""


def names(question: str, text: str, best: str) -> list[str]:
    """The names of the rows that are quoted."""
    return [one.claim.partition(" — ")[0] for one in answered(question, read(text, best))]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("difference between Office and Office Plus", ["Edition Office", "Edition Office Plus"]),
        ("How do Solo and Office Plus differ?", ["Edition Solo", "Edition Office Plus"]),
        ("What does Office Plus cost?", ["Edition Office Plus"]),
    ],
)
def test_rows_that_are_named_side_by_side_are_quoted_together(question: str, expected: list[str]) -> None:
    assert names(question, EDITIONS, "Office Plus") == expected


def test_a_word_of_another_name_does_not_ask_for_its_row() -> None:
    assert names("and a monthly one?", FARES, "Monthly") == ["Ticket Monthly ticket"]
    assert names("Is a single for one zone or for two zones cheaper?", FARES, "two zones") == [
        "Ticket Single, one zone",
        "Ticket Single, two zones",
    ]


LIGHTS = """| light | meaning |
|---|---|
| green, blinking | the boiler is heating |
| green, steady | ready for coffee |
| orange, blinking | the water tank is empty |
| orange, steady | descaling is due |
| red, steady | the boiler is too hot |
| red, blinking | a fault |
"""


@pytest.mark.parametrize(
    ("question", "best", "expected"),
    [
        ("what does red blinking and orange steady mean?", "red, blinking", ["orange, steady", "red, blinking"]),
        ("What do a steady green and a blinking red light mean?", "green, steady", ["green, steady", "red, blinking"]),
        ("whats the orange light blinking for?", "orange, blinking", ["orange, blinking"]),
        ("whats the orange light blinking for?", "green, blinking", ["orange, blinking"]),
        ("what does red blinking and orange steady mean?", "red, steady", ["orange, steady", "red, blinking"]),
    ],
)
def test_a_row_whose_words_others_have_too_is_named_as_a_whole(question: str, best: str, expected: list[str]) -> None:
    assert names(question, LIGHTS, best) == [f"light {name}" for name in expected]


def test_what_the_heading_above_a_table_names_is_the_table() -> None:
    page = read(FARES, "Monthly")
    fares = replace(page, passages=(replace(page.passages[0], section_path=("Fares",)),))
    assert len(answered("What are the fares?", fares)) == 3
    assert len(answered("What are the fares for a month?", fares)) == 1


PRICES = """| Year | Price |
|---|---|
| 2022 | 30 euros |
| 2023 | 35 euros |
| 2024 | 40 euros |
"""


@pytest.mark.parametrize(
    ("question", "text", "heading", "best"),
    [
        ("What is the price in 2024?", PRICES, "Price", "2024"),
        ("What is the fee for 3 people?", PRICES.replace("2024", "3"), "Fee for people", "| 3 |"),
        ("What does version 5.2 need?", PRICES.replace("2023", "5.2"), "Version needs", "5.2"),
        ("What does Solo cost?", EDITIONS, "What Solo and others cost", "Solo"),
        ("What is not a risk?", PRICES, "Risk", "2023"),
    ],
)
def test_a_question_with_a_number_a_name_or_a_negation_asks_for_no_whole_table(
    question: str, text: str, heading: str, best: str
) -> None:
    assert len(answered(question, under(heading, read(text, best)))) == 1


def test_a_row_whose_range_leaves_the_number_out_is_not_quoted_with_others() -> None:
    page = under("Price", read(PRICES, "2022"))
    others = [
        replace(one, ranges=RangeMatch(excluded=frozenset({"5"}))) if "2023" in one.text else one
        for one in page.sentences
    ]
    quoted = " ".join(one.claim for one in answered("What is the price?", replace(page, sentences=tuple(others))))
    assert "2022" in quoted
    assert "2023" not in quoted
    assert "2024" in quoted


CLASSES = """| Class | Day | Hall |
|---|---|---|
| Yoga | Monday | East |
| Judo | Friday | East |
| Yoga | Friday | West |
"""


def with_marks(text: str, best: str, marked: str, **marks: object) -> Evidence:
    page = read(text, best)
    sentences = (replace(one, **marks) if marked in one.text else one for one in page.sentences)
    return replace(page, sentences=tuple(sentences))


def test_all_rows_with_the_value_that_is_asked_for_are_quoted_and_no_others() -> None:
    fridays = with_marks(CLASSES, "| Judo", "Friday", value_rows="classes")
    quoted = [one.claim for one in answered("Which classes are on Friday?", fridays)]
    assert quoted == ["Class Judo — day: Friday; hall: East.", "Class Yoga — day: Friday; hall: West."]


def test_rows_of_one_name_are_quoted_together_where_their_cell_is_asked_for() -> None:
    yoga = with_marks(CLASSES, "| Yoga | Monday", "Yoga", asked_words=frozenset())
    quoted = " ".join(one.claim for one in answered("When is yoga?", yoga))
    assert "Monday" in quoted
    assert "Friday" in quoted
    assert "Judo" not in quoted


def test_an_empty_cell_does_not_hide_the_heads_of_a_markdown_row() -> None:
    text = CLASSES.replace("| Friday | East |", "| | East |")
    assert [one.claim for one in answered("Where is judo?", read(text, "| Judo"))] == ["Class Judo — hall: East."]


STOCK = """| Item | Colour | Size |
|---|---|---|
| Shirt | red | 40 |
| Shirt | red | 40 |
| Cap | blue | 40 |
| Scarf | red | 42 |
"""


def test_a_row_that_stands_twice_is_quoted_once_and_in_words() -> None:
    red = with_marks(STOCK, "| Shirt", "red", value_rows="stock")
    shirt, scarf = "Item Shirt — colour: red; size: 40.", "Item Scarf — colour: red; size: 42."
    assert [one.claim for one in answered("Which items are red?", red)] == [shirt, scarf]
    page = read(STOCK, "| Shirt")
    first, copy, *others = page.sentences
    below = replace(page, sentences=(copy, replace(first, score=0.3), *others))
    assert [one.claim for one in answered("Which items are red?", below)] == [shirt]
    named = with_marks(STOCK, "| Shirt", "Shirt", asked_words=frozenset())
    assert [one.claim for one in answered("What colour is the shirt?", named)] == [shirt]


def test_of_many_rows_with_a_value_the_first_are_quoted_and_the_answer_says_so() -> None:
    rows = "".join(f"| Tool {number} | Cellar |\n" for number in range(1, 15))
    found = read(f"| Tool | Place |\n|---|---|\n{rows}", "Tool 9")
    marked = [replace(one, value_rows="tools") if "Cellar" in one.text else one for one in found.sentences]
    many = replace(found, sentences=tuple(marked))
    question = "Which tools are in the cellar?"
    assert [one.claim for one in answered(question, many)] == [f"Tool Tool {n} — place: Cellar." for n in range(1, 13)]
    assert describe_unquoted_rows(question, many) == "This is only a part: the first 12 of at least 14 rows."
    few = replace(found, sentences=tuple(marked[:-2]))
    assert describe_unquoted_rows(question, few) == ""
