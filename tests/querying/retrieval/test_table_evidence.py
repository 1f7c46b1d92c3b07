from __future__ import annotations

import pytest

from language.terms import terms
from querying.question.resolve import WeightedTurn
from querying.retrieval.evidence import score_evidence
from querying.types.evidence import Evidence
from tests.querying.passages import passage

HEADS = "Month | Retail trade | Utilities | Government"
TABLE = (
    f"Table 7. Employees by sector: 2012\n[In thousands]\n{HEADS}\n"
    "Month: May | Retail trade: 14,435.6 | Utilities: 553.6 | Government: 22,996\n"
    "Month: June | Retail trade: 14,501.1 | Utilities: 553.9 | Government: 22,874\n"
    "Month: September | Retail trade: 14,845.9 | Utilities: 554.4 | Government: 21,925\n"
)


def judged(question: str, *texts: str) -> Evidence:
    passages = [passage(text, number=number) for number, text in enumerate(texts, 1)]
    turns = [WeightedTurn(text=question, weight=1.0)]
    return score_evidence(turns=turns, passages=passages, weights=dict.fromkeys(terms(question), 1.0))


def test_the_row_that_is_asked_for_comes_first_with_its_cell() -> None:
    best = judged("How many employees had the utilities in September 2012?", TABLE).sentences[0]
    assert best.text.startswith("Month: September")
    assert best.cell
    assert (best.cell.head, best.cell.value) == ("Utilities", "554.4")


def test_another_year_makes_the_evidence_weaker() -> None:
    own = judged("How many employees had the utilities in September 2012?", TABLE)
    other = judged("How many employees had the utilities in September 2015?", TABLE)
    assert own.strength > other.strength + 0.15


def test_a_row_that_is_not_asked_for_by_name_is_weak_evidence() -> None:
    own = judged("employees in utilities in June 2012", TABLE)
    any_row = judged("employees in utilities 2012", TABLE)
    assert own.strength > any_row.strength + 0.15


def test_no_cell_stands_for_a_row_where_no_column_is_asked_for() -> None:
    best = judged("the month of June 2012", TABLE).sentences[0]
    assert best.text.startswith("Month: June")
    assert best.cell is None or best.cell.head == "" or best.cell.value in best.text


def test_a_row_of_which_too_few_cells_were_read_is_quoted_whole() -> None:
    months = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov")
    rain = "Rain by station, in millimetres\n" + "".join(
        f"Station: Hamburg {part} | " + " | ".join(f"{month}: {60 + at}" for at, month in enumerate(months)) + "\n"
        for part in ("Altona", "Harburg", "Wandsbek")
    )
    rows = [one for one in judged("How much rain falls in Hamburg?", rain).sentences if one.cell]
    assert len(rows) == 2, "one row was read whole, of another one cell"
    assert [one.cell.head for one in rows if one.cell] == ["", ""]


def test_the_line_above_a_table_goes_after_the_row_under_it() -> None:
    found = judged("Employees by sector in utilities, June 2012", TABLE)
    assert found.sentences[0].text.startswith("Month: June")


def test_a_row_whose_range_holds_the_number_is_found_by_it() -> None:
    text = "Fees\nAge: 6 to 17 years | Fee: 5 EUR\nAge: 18 to 64 years | Fee: 20 EUR\n"
    best = judged("What is the fee for somebody of 30 years?", text).sentences[0]
    assert best.ranges.numbers == {"30"}
    assert best.cell is None


PRICES = (
    "| Ticket | Adults | Children (4 to 15) |\n| --- | --- | --- |\n"
    "| Single entry | 7.50 € | 4.00 € |\n| Annual pass | 310.00 € | 160.00 € |\n"
    "A family ticket costs 19.00 € and is valid for two adults and up to three children.\n"
)


@pytest.mark.parametrize("others", ["", "Item: Goggles | Price: 9 €\nItem: Cap | Price: 3 €\n"])
def test_a_row_of_a_markdown_table_is_found_beside_tables_of_other_kinds(others: str) -> None:
    found = judged("How much is a single entry for children?", PRICES, *filter(None, [others]))
    assert found.sentences[0].text.startswith("| Single entry")


def test_passages_without_tables_are_left_alone() -> None:
    found = judged("Where is the gravel?", "The gravel is in the third bay. Doors are painted green.")
    assert all(one.cell is None for one in found.sentences)
