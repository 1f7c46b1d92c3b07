from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from knowledge.readers.tables import row_lines


def test_cells_are_named_by_the_header():
    assert row_lines([["Exposure", "Cover"], ["Mild", "20"]]) == ["Exposure | Cover", "Exposure: Mild | Cover: 20"]


def test_a_table_of_figures_has_no_header():
    assert row_lines([["1", "2"], ["3", "4"]]) == ["1 | 2", "3 | 4"]


def test_a_header_of_two_rows_names_each_column_by_both():
    rows = [["Fire", "Beams", ""], ["", "Simple", "Continuous"], ["1 h", "20", "25"]]
    assert row_lines(rows)[-1] == "Fire: 1 h | Beams Simple: 20 | Beams Continuous: 25"


def test_a_row_with_one_cell_is_a_title():
    assert row_lines([["a", "b"], ["Part one", ""], ["x", "y"]])[1:] == ["Part one", "a: x | b: y"]


def test_an_empty_corner_leaves_the_first_column_unnamed():
    assert row_lines([["", "Mild", "Severe"], ["Cover", "20", "45"]])[-1] == "Cover | Mild: 20 | Severe: 45"


@given(st.lists(st.lists(st.sampled_from(["", "a", "7", "long cell"]), max_size=4), max_size=5))
def test_no_cell_is_lost(rows):
    lines = "\n".join(row_lines(rows))
    assert all(cell in lines for row in rows for cell in row)
