from __future__ import annotations

from time import process_time

from querying.retrieval.passage_tables import Cell, parse_cells, read_tables
from tests.querying.passages import passage

ROWS = "Month: May | Retail: 14.4 | Utilities: 0.5\nMonth: June | Retail: 14.6 | Utilities: 0.6\n"
CAPTION = "Table 7. Employees by sector: 2012\n[In thousands]\n"


def test_a_row_has_a_name_and_cells_with_their_heads() -> None:
    assert parse_cells("Arson. . . . . | Total: 9 | 7") == [Cell("", "Arson"), Cell("Total", "9"), Cell("", "7")]


def test_rows_with_the_same_heads_under_a_caption_are_one_table() -> None:
    text = f"{CAPTION}Month | Retail | Utilities\n{ROWS}Table 8. Wages: 2012\n{ROWS}"
    first, second = read_tables([passage(text)])
    assert first.caption == "Table 7. Employees by sector: 2012 [In thousands]"
    assert second.caption == "Table 8. Wages: 2012"
    assert first.heads == second.heads == ("Retail", "Utilities")
    assert [row.label for row in first.rows] == ["Month May", "Month June"]


def test_rows_of_passages_that_overlap_are_read_once() -> None:
    one = passage(CAPTION + ROWS, page_id=5, start=0, end=len(CAPTION + ROWS))
    two = passage(ROWS, page_id=5, start=len(CAPTION), end=len(CAPTION + ROWS))
    (table,) = read_tables([two, one])
    assert len(table.rows) == 2
    assert table.caption.startswith("Table 7.")


def test_a_caption_that_no_passage_shows_is_read_off_the_page() -> None:
    page = f"Some prose.\n{CAPTION}{ROWS}"
    start = page.index("Month: June")
    below = passage(page[start:], page_id=5, start=start, end=len(page))
    assert read_tables([below])[0].caption == ""
    assert read_tables([below], {5: page})[0].caption.endswith("Table 7. Employees by sector: 2012 [In thousands]")


def test_rows_that_name_no_cell_and_lines_of_code_are_no_tables() -> None:
    assert read_tables([passage("Month | Retail | Utilities\n1 | 2 | 3\n| a | b |\n")]) == []
    assert read_tables([passage("x: int | y: None = 3\n", source_type="code")]) == []


def test_rows_that_lack_cells_are_rows_of_the_fullest_and_a_sparse_table_is_read_quickly() -> None:
    heads = [f"H{number}" for number in range(11)]
    kinds = [[head for at, head in enumerate(heads) if number >> at & 1] for number in range(1, 2**11)]
    text = "".join(f"Name: n | {' | '.join(f'{head}: 1' for head in kind)}\n" for kind in kinds)
    begun = process_time()
    (table,) = read_tables([passage(text)])
    assert process_time() - begun < 2
    assert table.heads == tuple(heads)
    assert len(table.rows) == len(kinds)
