from __future__ import annotations

import pytest

from knowledge.chunking.chunker import chunk_pages
from knowledge.chunking.question_headings import question_headings
from knowledge.readers.types import Heading, PageText
from tests.linear_time import grows_linearly

LABELLED = """Q: Who can join?
A: Anyone over 18.

Q: What does it cost?
A: £30 a year."""


def titles(text: str) -> list[str]:
    return [heading.title for heading in question_headings(text, page=1)]


@pytest.mark.parametrize(
    "text",
    [
        LABELLED,
        LABELLED.replace("\n\n", "\n"),
        LABELLED.replace("Q:", "Frage 1:").replace("A:", "Antwort 1:"),
        "**Q: Who can join?**\nA: Anyone over 18.\n\n**Q: What does it cost?**\n\nA: £30 a year.",
        "**Who can join?**\nAnyone over 18.\n\n**What does it cost?**\n£30 a year.",
    ],
)
def test_a_question_over_its_answer_is_a_heading(text: str) -> None:
    assert titles(text) == ["Who can join?", "What does it cost?"]


@pytest.mark.parametrize(
    "text",
    [
        "Q: Who can join?\nA: Anyone over 18.",  # once may be chance
        "Who can join? Anyone over 18.\nWhat does it cost? £30 a year.",
        "A: Is it red?\nA: Is it blue?\nA: Is it green?",
        "Note: Who can join?\nAnyone over 18.\nNote: What does it cost?\n£30 a year.",
        "Step 1: Is the light on?\nStep 2: Press the button.\nStep 3: Is the valve open?\nStep 4: Check the gauge.",
        "Chair: Any objections?\nSecretary: None.\nThe fee rises.\nChair: Anything else?\nSecretary: No.",
        "A: Is it on?\nB: Press it.\n\nA: Is it open?\nB: Close it.",  # items of lists
        "Q: Who pays?\nA: Anyone.\nQ: Who signs?\nA: The chair.\nQ: Nobody objected.",  # not of questions alone
        "**Did you know?**\nThe club was founded in 1920.",
    ],
)
def test_other_questions_are_none(text: str) -> None:
    assert titles(text) == []


def test_an_answer_stands_under_its_question_and_the_headings_above() -> None:
    page = PageText(number=1, text=f"Joining\n\n{LABELLED}")
    chunks = chunk_pages([page], [Heading(page=1, start=0, level=2, title="Joining")])
    assert [chunk.section_path for chunk in chunks] == [
        ("Joining", "Who can join?"),
        ("Joining", "What does it cost?"),
    ]
    assert page.text[chunks[1].start : chunks[1].end] == "Q: What does it cost?\nA: £30 a year."


def test_a_line_that_is_a_heading_already_stays_one() -> None:
    text = "**Who can join?**\nAnyone."
    known = Heading(page=1, start=0, level=3, title="Who can join?")
    assert [chunk.section_path for chunk in chunk_pages([PageText(number=1, text=text)], [known])] == [
        ("Who can join?",)
    ]


def test_a_heading_ends_with_the_answer_and_its_page() -> None:
    pages = [
        PageText(number=1, text=f"{LABELLED}\n\nThe treasurer reported a balance of 4,300 euros."),
        PageText(number=2, text="The lease of the hall costs 900 euros a year."),
    ]
    chunks = chunk_pages(pages, [])
    assert [chunk.section_path for chunk in chunks] == [("Who can join?",), ("What does it cost?",), (), ()]


def test_the_list_that_an_answer_leads_in_to_is_part_of_it() -> None:
    text = LABELLED.replace("Anyone over 18.", "You need:\n\n- a photo\n- a proof of your address")
    first, second = chunk_pages([PageText(number=1, text=text)], [])
    assert text[first.start : first.end].endswith("- a proof of your address")
    assert second.section_path == ("What does it cost?",)


@pytest.mark.parametrize(
    "unit", ["Q: Who can join?\nA: Anyone over 18.\n", "**Who can join?**\n- Anyone\n", "Q: a?\n", "**_"]
)
def test_questions_are_found_in_linear_time(unit: str) -> None:
    assert grows_linearly(titles, unit, scale=20)
