from __future__ import annotations

from language.terms import terms
from querying.retrieval.passage_tables import read_tables
from querying.retrieval.table_cells import CellMatch, best_cells
from tests.querying.passages import passage

RECEIPTS = passage(
    "Receipts by account [In thousands of dollars]\n"
    "Account: Department of Agriculture Excise Taxes for Tobacco Assessments | 2008: 1,140 | 2009: 951\n"
    "Account: Tobacco Excise Tax | 2008: 7,639 | 2009: 12,841\n"
    "Account: Telephone Excise Tax | 2008: 1,048 | 2009: 1,115\n"
)
RATES = passage(
    "Unemployment rate by industry, January 2000 to February 2010\n"
    "Month 2009: February | Construction: 21.4 | Leisure: 11.4\n"
    "Month 2009: March | Construction: 21.1 | Leisure: 11.0\n"
    "Month 2009: Average | Construction: 19.0 | Leisure: 11.7\n"
)


def cells(question: str, *passages, most: int = 20) -> list[CellMatch]:
    return best_cells(question, dict.fromkeys(terms(question), 1.0), read_tables(passages), most=most)


def test_the_row_that_says_no_more_than_is_asked_goes_before_one_that_says_it_too() -> None:
    assert cells("tobacco excise tax 2009", RECEIPTS)[0].cell.value == "12,841"


def test_the_column_is_chosen_by_its_head() -> None:
    assert cells("construction, March 2009", RATES)[0].cell.value == "21.1"
    assert cells("leisure, March 2009", RATES)[0].cell.value == "11.0"


def test_a_year_of_the_caption_is_not_said_of_a_row_that_has_its_own() -> None:
    best = cells("unemployment rate in construction, March 2010", RATES)[0]
    assert best.row.name.value == "March"
    assert best.unsaid_years == {"2010"}
    assert best.has_other_year
    assert not cells("unemployment rate in construction, March 2009", RATES)[0].unsaid_years


def test_a_year_that_stands_nowhere_is_unsaid_and_no_other_one_is_known() -> None:
    table = passage("Receipts\nAccount: Tobacco | Tax: 3 | Fee: 4\nAccount: Fuel | Tax: 1 | Fee: 2\n")
    best = cells("tobacco tax 2021", table)[0]
    assert (best.cell.value, best.unsaid_years, best.has_other_year) == ("3", {"2021"}, False)


def test_abbreviations_say_a_word_and_months_are_no_stop_words() -> None:
    table = passage("Rain\nMonth: May | Seattle: 5\nMonth: Nov | Seattle: 210\n")
    assert cells("How much rain fell in November?", table)[0].cell.value == "210"
    assert cells("How much rain fell in May?", table)[0].cell.value == "5"


def test_a_word_that_puts_questions_into_words_counts_where_it_heads_a_column() -> None:
    table = passage("Anomaly\nDecade: 1940s | 1: 0.18 | 3: 0.09 | Mean: 0.04\nDecade: 1950s | 1: 1 | 3: 2 | Mean: 3\n")
    assert cells("Mean anomaly for the 1940s", table)[0].cell.value == "0.04"
    assert cells("anomaly of the 1940s three years on", table)[0].cell.value == "0.09"


def test_a_cell_is_worded_with_its_caption_its_row_and_its_column() -> None:
    best = cells("tobacco excise tax 2009", RECEIPTS, most=1)
    assert [one.wording for one in best] == [
        "Receipts by account [In thousands of dollars]. Account: Tobacco Excise Tax, 2009: 12,841"
    ]


def test_a_question_without_words_has_no_cell() -> None:
    assert cells("the of and", RECEIPTS) == []


def test_a_cell_says_how_many_of_its_row_fit_as_well() -> None:
    found = cells("unemployment rate February 2009", RATES, most=3)
    assert {(one.row.name.value, one.tied) for one in found if one.row.name.value == "February"} == {("February", 2)}
    [construction] = cells("unemployment rate of construction in February 2009", RATES, most=1)
    assert (construction.cell.value, construction.tied) == ("21.4", 1)
