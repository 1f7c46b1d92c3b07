from __future__ import annotations

import pytest

from knowledge.chunking.chunker import chunk_pages
from knowledge.chunking.question_headings import question_headings
from knowledge.readers.types import Heading, PageText

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
