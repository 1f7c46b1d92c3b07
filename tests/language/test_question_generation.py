"""Questions made of sentences: grammatical, or none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.question_generation import question_about


@pytest.mark.parametrize(
    ("sentence", "question", "figure"),
    [
        ("The lid is closed at 600 °C.", "At what temperature is the lid closed?", "600 °C"),
        ("A scaffold is inspected every 7 days by a person.", "How often is a scaffold inspected?", "7 days"),
        ("The minimum cover is 45 mm.", "What is the minimum cover?", "45 mm"),
        ("Invoices are paid within 30 days.", "Within what time are invoices paid?", "30 days"),
        ("Ropes must be replaced after at most 10 years.", "After how long must ropes be replaced?", "10 years"),
        ("The share is at least 25 %.", "What is the share?", "25 %"),
    ],
)
def test_a_question_asks_for_the_first_figure(sentence: str, question: str, figure: str) -> None:
    assert question_about(sentence) == (question, figure)


@pytest.mark.parametrize(
    "sentence",
    [
        "It is 45 mm.",
        "There are 3 kg of sand.",
        "Boots are replaced when worn.",
        "The kiln, once lit, is kept at 60 °C.",
        "Page 3 is blank.",
        "The employee is given 14 days of leave.",
        "The kiln is heated at 60 °C per hour.",
        "Damage that is found within 24 hours is charged to the last skipper.",
        "A booking lapses if the machine is not started within 30 minutes of the booked time.",
        "The deposit stays here unless the flat is handed over within 14 days.",
        "Extinguishers hang on each landing and are inspected every 12 months.",
        "600 °C",
        "",
    ],
)
def test_where_no_plain_question_comes_out_there_is_none(sentence: str) -> None:
    assert question_about(sentence) is None


def test_a_name_keeps_its_capital() -> None:
    sentence = "Berlin is reached within 4 hours."
    text = f"{sentence} The way to Berlin is long."
    assert question_about(sentence, text=text) == ("Within what time is Berlin reached?", "4 hours")
    assert question_about(sentence) == ("Within what time is berlin reached?", "4 hours")


@given(st.text(alphabet=" .,;is%°C7matvery\nA", max_size=80))
def test_whatever_the_sentence_the_figure_stands_in_it(sentence: str) -> None:
    made = question_about(sentence)
    assert made is None or (made[1] in " ".join(sentence.split()) and made[0].endswith("?"))
