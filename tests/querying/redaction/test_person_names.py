"""Names of people are found by their use in a sentence, however they are written, and other words stay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from language.personal_data import ACCOUNT, MAIL, NAME
from querying.redaction.person_names import find_person_names
from querying.redaction.redact_question import redact_names, redact_question
from tests.linear_time import grows_linearly
from training.person_names import measure

LIST = Path(__file__).parents[2] / "data" / "person_names.json"


@pytest.fixture
def redacting(settings: Any) -> None:
    settings.REDACT_QUESTIONS = settings.REDACT_NAMES = True


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("My name is Zelda Quist, am I insured?", f"My name is {NAME}, am I insured?"),
        ("can zelda quist work from home on fridays", f"can {NAME} work from home on fridays"),
        ("What is Zelda O'Connor's deductible?", f"What is {NAME}'s deductible?"),
        ("Dear Mr Quist, when does the lease end?", f"Dear Mr {NAME}, when does the lease end?"),
        ("Patient Nguyen Thi Mai takes warfarin.", f"Patient {NAME} takes warfarin."),
        ("Kann Jürgen Müller-Lüdenscheidt Elternzeit nehmen?", f"Kann {NAME} Elternzeit nehmen?"),
    ],
)  # fmt: skip
def test_a_name_gives_way_to_a_word_in_brackets(text: str, redacted: str) -> None:
    assert redact_names(text) == redacted


@pytest.mark.parametrize(
    "text",
    [
        "What is the minimum cover for a beam exposed to weather?",
        "Will the deposit be paid back in May?",
        "Is Parkinson's disease covered in Bavaria?",
        "Welche Frist gilt für die Kündigung einer Wohnung?",
        "",
        "12 mm?",
    ],
)
def test_other_words_stay(text: str) -> None:
    assert redact_names(text) == text


def test_what_stands_for_something_already_is_no_name() -> None:
    assert redact_names(f"Zelda Quist, {MAIL}, {ACCOUNT}, {NAME}") == f"{NAME}, {MAIL}, {ACCOUNT}, {NAME}"


def test_a_name_deep_in_a_long_text_is_found() -> None:
    text = "The slab is cast on blinding and cured for seven days. " * 40 + "Employee Zelda Quist asks why."
    assert [text[start:end] for start, end in find_person_names(text)] == ["Zelda Quist"]


def test_every_text_of_a_question_is_read(redacting: None) -> None:
    facts = {"who": "Employee Zelda Quist, zelda@example.org", "age": 44}
    assert redact_question(facts) == {"who": f"Employee {NAME}, {MAIL}", "age": 44}


@pytest.mark.parametrize("unit", ["a ", "Zelda Quist ", "[", "'s ", "A.-", "é"])
def test_a_long_text_costs_linear_time(unit: str) -> None:
    assert grows_linearly(redact_names, unit)


def test_most_names_of_a_list_by_somebody_who_had_not_seen_the_program_are_found() -> None:
    """150 texts with names, and 150 with what a careless program takes for one. docs/operations.md has the figures."""
    figures = measure(LIST, shows_errors=False)
    assert (figures.names_found >= 138, figures.texts_left_alone >= 115) == (True, True), figures
