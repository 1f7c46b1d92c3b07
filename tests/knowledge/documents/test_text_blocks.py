from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from knowledge.documents.text_blocks import split_blocks, unwrap_lines
from knowledge.readers.tables import row_lines
from tests.knowledge.readers.made import COVER

MARKDOWN = "Before.\n\n| Exposure | Cover |\n|---|:--:|\n| mild | 20 mm |\n| severe | 45 mm |\n\nAfter."


def test_rows_that_a_reader_wrote_are_a_table_again() -> None:
    text = "Table 2\n" + "\n".join(row_lines(COVER)) + "\nRead it row by row."
    before, table, after = split_blocks(text)
    assert (before.text, after.text) == ("Table 2", "Read it row by row.")
    assert table.header == ("Exposure", "Nominal cover", "Grade")
    assert table.rows == (("Mild", "20 mm", "M20"), ("Severe", "45 mm", "M30"))
    assert text[table.start : table.end] == table.text


def test_a_row_that_lacks_a_cell_keeps_its_columns() -> None:
    (table,) = split_blocks("Kind | Least | Most\nKind: A | Least: 1 | Most: 2\nKind: B | Most: 3")
    assert table.rows == (("A", "1", "2"), ("B", "", "3"))


def test_a_header_of_two_rows_is_one() -> None:
    rows = [["Grade", "Cover", ""], ["", "inside", "outside"], ["M20", "20 mm", "30 mm"]]
    (table,) = split_blocks("\n".join(row_lines(rows)))
    assert table.header == ("Grade", "Cover inside", "Cover outside")
    assert table.rows == (("M20", "20 mm", "30 mm"),)


def test_rows_without_names_stand_below_each_other() -> None:
    (table,) = split_blocks("1 | 2\n3 | 4 | 5")
    assert (table.header, table.rows) == ((), (("1", "2", ""), ("3", "4", "5")))


def test_a_table_in_markdown() -> None:
    before, table, after = split_blocks(MARKDOWN)
    assert table.header == ("Exposure", "Cover")
    assert table.rows == (("mild", "20 mm"), ("severe", "45 mm"))
    assert (before.text, after.text) == ("Before.", "After.")


def test_one_line_with_a_bar_is_no_table() -> None:
    assert [block.is_table for block in split_blocks("a | b")] == [False]


def test_paragraphs_end_where_a_chunk_begins_and_tables_do_not() -> None:
    text = "One two three.\n\na | b\nc | d"
    assert [block.text for block in split_blocks(text, cuts={4, 20})] == ["One ", "two three.", "a | b\nc | d"]


def test_lines_that_a_page_was_too_narrow_for_are_joined() -> None:
    assert unwrap_lines("The cover of\na beam.\nIt is 45 mm") == "The cover of a beam.\nIt is 45 mm"


@given(st.text(alphabet="ab:| -\n1", max_size=200), st.sets(st.integers(0, 200), max_size=5))
def test_every_word_stays_in_its_place(text: str, cuts: set[int]) -> None:
    found = split_blocks(text, cuts=cuts)
    assert all(block.start < block.end <= len(text) for block in found)
    assert all(one.end <= other.start for one, other in pairwise(found))
    covered = {at for block in found for at in range(block.start, block.end)}
    assert all(at in covered for at, letter in enumerate(text) if not letter.isspace())
    for block in found:
        assert len({len(row) for row in (*block.rows, *([block.header] if block.header else []))}) <= 1
