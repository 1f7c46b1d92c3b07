from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.clauses.parsed_contract import Clause
from contracts.clauses.segmentation import split_clauses
from tests.contracts.documents import NDA, page
from tests.linear_time import grows_linearly

PIECES = [
    "1. Term. ",
    "2.1 The Buyer pays. ",
    "ARTICLE IV\n",
    "SCHEDULE A\n",
    "(a) of any kind; ",
    "5. Confidentiality\n",
    "the parties agree.\n",
    "\n\n",
    "# Heading\n",
    " ",
    "A | B\n",
]
PAGE_TEXTS = st.lists(
    st.one_of(st.text(max_size=120), st.lists(st.sampled_from(PIECES), max_size=25).map("".join)), max_size=5
)


def clauses(*texts: str) -> tuple[Clause, ...]:
    return split_clauses([page(text, number=number) for number, text in enumerate(texts, start=1)])


@given(PAGE_TEXTS)
def test_every_character_of_every_page_is_in_exactly_one_clause(texts: list[str]) -> None:
    found = clauses(*texts)
    places = [(span.page_number, at) for clause in found for span in clause.spans for at in range(span.start, span.end)]
    assert places == [(number, at) for number, text in enumerate(texts, start=1) for at in range(len(text))]
    assert all(span.text == texts[span.page_number - 1][span.start : span.end] for c in found for span in c.spans)
    assert [clause.position for clause in found] == list(range(len(found)))


def test_clauses_begin_at_numbers_and_headings() -> None:
    assert [(clause.number, clause.heading) for clause in clauses(NDA)] == [
        ("", "MUTUAL NON-DISCLOSURE AGREEMENT"),
        ("1.1", "Definitions"),
        ("1.2", ""),
        ("2", "Obligations"),
        ("3", "Term"),
        ("4", "Return of information"),
        ("5", "Governing law"),
    ]


def test_a_clause_goes_on_over_the_page() -> None:
    found = clauses("1. Price. The Buyer pays\n", "within 30 days.\n2. Term. Two years.\n3. Law. That of Kent.")
    assert [clause.label for clause in found] == ["1 Price", "2 Term", "3 Law"]
    assert [(span.page_number, span.text) for span in found[0].spans] == [
        (1, "1. Price. The Buyer pays\n"),
        (2, "within 30 days.\n"),
    ]


def test_a_letter_without_numbers_has_a_clause_for_each_paragraph() -> None:
    found = clauses("Dear Sirs,\n\nYou will keep it secret.\n\nYou will return it.")
    assert [clause.text for clause in found] == ["Dear Sirs,", "You will keep it secret.", "You will return it."]


@pytest.mark.parametrize("text", ["as given in\n26.4.2 of the standard", "30 days after delivery the price is due."])
def test_a_number_within_a_sentence_opens_nothing(text: str) -> None:
    assert [clause.number for clause in clauses(f"1. One. {text}\n2. Two. Next.\n3. Three. Last.")] == ["1", "2", "3"]


@pytest.mark.parametrize("unit", ["1. Term. Two years.\n", "((", "1.1.1.1 ", "A. A. A. ", "# ", "SECTION 1 "])
def test_the_time_is_linear_in_the_text(unit: str) -> None:
    assert grows_linearly(lambda text: clauses(text), unit)
