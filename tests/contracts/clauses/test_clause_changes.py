from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.clauses.clause_changes import ClauseChange, find_changes
from contracts.clauses.segmentation import split_clauses
from tests.contracts.documents import NDA, page
from tests.linear_time import grows_linearly

EARLIER = """1. Price. The Buyer pays the price within 30 days.
2. Liability. The liability of each party is limited to $1,000,000. This does not limit liability for fraud.
3. Law. This Agreement is governed by the laws of Kent.
"""


def changes(earlier: str, later: str) -> list[ClauseChange]:
    return find_changes(split_clauses([page(earlier)]), split_clauses([page(later)]))


def told(earlier: str, later: str) -> list[tuple[str, list[str], list[str]]]:
    return [
        (one.label, [span.text for span in one.removed], [span.text for span in one.added])
        for one in changes(earlier, later)
    ]


def test_a_changed_sentence_is_one_change_and_both_are_quoted() -> None:
    later = EARLIER.replace("$1,000,000", "$250,000")
    assert told(EARLIER, later) == [
        (
            "2 Liability",
            ["The liability of each party is limited to $1,000,000."],
            ["The liability of each party is limited to $250,000."],
        )
    ]


def test_what_is_only_numbered_anew_or_moved_has_not_changed() -> None:
    inserted = "1. Goods. The Supplier delivers pumps.\n" + EARLIER.replace("3.", "4.").replace("2.", "3.").replace(
        "1. Price", "2. Price"
    )
    assert told(EARLIER, inserted) == [
        ("1 Goods", [], ["1. Goods.", "The Supplier delivers pumps."]),
    ]


def test_a_number_that_a_sentence_begins_with_counts() -> None:
    earlier = "1. A. 30 days after delivery.\n2. B. X.\n3. C. Y."
    assert len(told(earlier, earlier.replace("30", "60"))) == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("- 12.50 EUR per hour of consulting.", "- 85.50 EUR per hour of consulting."),
        ("1.5 Million Euro is the cap.", "9.5 Million Euro is the cap."),
        ("4.1 Million Euro is the cap.", "5.1 Million Euro is the cap."),
        ("2.000.000 EUR for each event.", "2.000 EUR for each event."),
        ("900.00 CHF a month.", "100.00 CHF a month."),
        ("900.", "100."),
        ("1.5 Fields are leased.", "2.5 Fields are leased."),
        ("12.50 is the price.", "14.50 is the price."),
        ("12.50 EUR an hour.", "12.51 EUR an hour."),
        ("4. January 2027 is the first day.", "1. January 2027 is the first day."),
        ("B. Smith is the tenant.", "C. Smith is the tenant."),
        ("Section 7 Goods may be returned.", "Section 9 Goods may be returned."),
    ],
)
@pytest.mark.parametrize("outline", ["", EARLIER], ids=["alone", "behind numbered clauses"])
def test_a_figure_that_a_line_begins_with_is_no_number_of_a_clause(before: str, after: str, outline: str) -> None:
    found = changes(f"{outline}\n{before}\n", f"{outline}\n{after}\n")
    assert [span.text for one in found for span in one.removed] == [before]
    assert [span.text for one in found for span in one.added] == [after]


@pytest.mark.parametrize(
    "numbers",
    [
        ("1.", "2.", "3."),
        ("1.1", "1.2", "1.3"),
        ("Section 1.01", "Section 1.02", "Section 1.03"),
        ("ARTICLE I", "ARTICLE II", "ARTICLE III"),
        ("A.", "B.", "C."),
        ("I.", "II.", "III."),
        ("**1.", "**2.", "**3."),
        ("- 1)", "- 2)", "- 3)"),
    ],
)
@pytest.mark.parametrize("is_numbered_anew", [True, False])
def test_a_clause_that_is_gone_changes_no_other(numbers: tuple[str, ...], is_numbered_anew: bool) -> None:
    texts = ["Price is paid.", "Dues are paid.", "Fees are paid."]
    earlier = [f"{number} {text}" for number, text in zip(numbers, texts, strict=True)]
    left = numbers[:2] if is_numbered_anew else numbers[1:]
    later = [f"{number} {text}" for number, text in zip(left, texts[1:], strict=True)]
    [(_, removed, added)] = told("\n\n".join(earlier), "\n\n".join(later))
    assert ("Price is paid." in " ".join(removed), added) == (True, [])


TERMS = ["The Fee is paid monthly.", "invoices are sent by mail.", "Late payment bears interest.", "Costs are shared."]


def numbered(numbers: list[str], texts: list[str], head: str = "4. Payment") -> str:
    return "\n\n".join([head, *(f"{number} {text}" for number, text in zip(numbers, texts, strict=True))])


@pytest.mark.parametrize("texts", [TERMS, [TERMS[1], TERMS[0], *TERMS[2:]]], ids=["second", "first"])
def test_a_number_that_opens_no_clause_leaves_those_behind_it_as_they_are(texts: list[str]) -> None:
    earlier = numbered(["4.1", "4.2", "4.3", "4.4"], texts)
    later = numbered(["4.1", "4.2", "4.3", "4.4", "4.5"], ["Goods are pumps.", *texts])
    quoted = " ".join(text for _, removed, added in told(earlier, later) for text in (*removed, *added))
    assert "Goods are pumps." in quoted
    assert not any(text in quoted for text in texts[2:])


def test_a_number_may_be_reserved() -> None:
    texts = [TERMS[0], *TERMS[2:]]
    earlier = numbered(["4.1", "4.3", "4.4"], texts)
    assert told(earlier, numbered(["5.1", "5.3", "5.4"], texts, head="5. Payment")) == []
    assert told(numbered(["4.2", "4.3"], texts[1:]), numbered(["4.3", "4.4"], texts[1:])) == []


@pytest.mark.parametrize("schedule", ["Schedule 2", "Schedule 2\n\nPrices", "SCHEDULE B"])
def test_the_numbers_of_a_schedule_begin_again(schedule: str) -> None:
    contract = numbered(["1.1", "1.2"], ["Goods are pumps.", "Costs are shared."], head="1. Goods")
    texts = ["Pipes are steel.", "Valves are brass.", "Seals are rubber."]
    earlier = f"{contract}\n\n{numbered(['1.1', '1.2', '1.3'], texts, head=schedule)}"
    later = f"{contract}\n\n{numbered(['1.1', '1.2'], [texts[0], texts[2]], head=schedule)}"
    assert told(earlier, later) == [("1.2", ["1.2 Valves are brass."], [])]


def test_what_is_gone_comes_last() -> None:
    without_law = EARLIER.replace("3. Law. This Agreement is governed by the laws of Kent.\n", "")
    later = without_law.replace("30 days", "60 days")
    found = changes(EARLIER + "4. Notices. Notices are written.\n", later + "3. Notices. Notices are written.\n")
    assert [(one.label, one.later is None) for one in found] == [("1 Price", False), ("3 Law", True)]


@given(st.permutations(NDA.split("\n\n")), st.permutations(NDA.split("\n\n")))
def test_every_change_is_quoted_from_its_own_version(earlier: list[str], later: list[str]) -> None:
    before, after = "\n\n".join(earlier), "\n\n".join(later)
    for one in changes(before, after):
        assert all(before[span.start : span.end] == span.text for span in one.removed)
        assert all(after[span.start : span.end] == span.text for span in one.added)


def test_a_version_is_the_same_as_itself() -> None:
    assert changes(NDA, NDA) == []


def test_the_time_is_linear_in_the_length_of_a_clause() -> None:
    other = "1. One.\n2. Two.\n3. Three."
    assert grows_linearly(lambda text: changes(f"1. One. {text}\n2. Two.\n3. Three.", other), "no. ")
