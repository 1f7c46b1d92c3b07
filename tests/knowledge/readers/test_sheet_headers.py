"""Which rows of a sheet name its columns: a figure under the wrong name is the worst that a reader can do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.worksheet.table import Table

from knowledge.readers.sheets.csv import find_delimiter
from tests.knowledge.readers.made import read_here


def lines(path: Path, rows: list[list[Any]], *merged: str) -> list[str]:
    """The lines that are read of a sheet of these rows."""
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for cells in merged:
        book.active.merge_cells(cells)
    return saved(path, book)


def saved(path: Path, book: Any) -> list[str]:
    book.save(path / "a.xlsx")
    return read_here(path / "a.xlsx", "xlsx")[1][0].text.split("\n")


def csv_lines(path: Path, text: str) -> list[str]:
    (path / "a.csv").write_text(text)
    return read_here(path / "a.csv", "csv")[1][0].text.split("\n")


PEOPLE = [["Name", "City", "State"], ["Anna", "Berlin", "approved"], []]


def test_a_table_goes_on_after_an_empty_row_where_its_values_repeat(tmp_path):
    more = [["Bob", "Paris", "rejected"], ["Cara", "Rome", "approved"], ["Dan", "Oslo", "rejected"]]
    assert lines(tmp_path, [*PEOPLE, *more])[2:] == [
        "Name: Bob | City: Paris | State: rejected",
        "Name: Cara | City: Rome | State: approved",
        "Name: Dan | City: Oslo | State: rejected",
    ]


def test_a_table_goes_on_after_an_empty_row_where_a_figure_stands_in_its_first_row(tmp_path):
    rows = [["Item", "Cover"], ["Beam", 45], [], ["Slab", 30], ["Wall", 20]]
    assert lines(tmp_path, rows)[2:] == ["Item: Slab | Cover: 30", "Item: Wall | Cover: 20"]


def test_words_after_an_empty_row_stand_without_names_where_nothing_says_what_they_are(tmp_path):
    rows = [["Bob", "Paris", "rejected"], ["Cara", "Rome", "approved"]]
    assert lines(tmp_path, [*PEOPLE, *rows])[2:] == ["Bob | Paris | rejected", "Cara | Rome | approved"]
    # Nor do they name the figures of one column alone.
    rows = [["Name", "City", "Score"], ["Anna", "Berlin", 7], [], ["Bob", "Paris", "n/a"], ["Cara", "Rome", 5]]
    assert lines(tmp_path, rows)[2:] == ["Bob | Paris | n/a", "Cara | Rome | 5"]


def test_a_column_without_a_head_leaves_the_first_row_of_data_alone(tmp_path):
    rows = [["Product", None, "Status"], ["Beam", "B12", "active"], ["Slab", "B13", "withdrawn"]]
    wanted = ["Product | Status", "Product: Beam | B12 | Status: active", "Product: Slab | B13 | Status: withdrawn"]
    assert lines(tmp_path, rows) == wanted
    assert csv_lines(tmp_path, "Product,,Status\nBeam,B12,active\nSlab,B13,withdrawn\n") == wanted


@pytest.mark.parametrize(
    "rows",
    [
        [["Project", "Alpha"], ["Item", "Cover", "Price"], ["Beam", 45, 12], ["Slab", 30, 9]],
        [["Project", "Alpha"], ["Client", "Beta"], ["Item", "Cover", "Price"], ["Beam", 45, 12], ["Slab", 30, 9]],
    ],
)
def test_a_short_line_above_a_table_is_not_its_header(tmp_path, rows):
    assert lines(tmp_path, rows)[-2:] == ["Item: Beam | Cover: 45 | Price: 12", "Item: Slab | Cover: 30 | Price: 9"]


def test_pairs_of_words_have_no_header(tmp_path):
    rows = [["Owner", "Anna"], ["Budget", 5000], ["Deadline", "May"]]
    assert lines(tmp_path, rows) == ["Owner | Anna", "Budget | 5000", "Deadline | May"]
    assert csv_lines(tmp_path, "Owner,Anna\nBudget,5000\nDeadline,May\n") == lines(tmp_path, rows)


def test_figures_of_different_kinds_are_no_column(tmp_path):
    rows = [["Project", "Alpha"], ["Area", "120 m²"], ["Height", "12 m"]]
    assert lines(tmp_path, rows) == ["Project | Alpha", "Area | 120 m²", "Height | 12 m"]


def test_titles_and_an_empty_row_may_stand_above_a_table_of_words(tmp_path):
    rows = [["People"], ["May 2026"], [], ["Name", "City", "State"], ["Anna", "Berlin", "approved"]]
    assert lines(tmp_path, rows)[-1] == "Name: Anna | City: Berlin | State: approved"


def test_a_merged_head_names_the_columns_that_it_covers_and_no_others(tmp_path):
    rows = [["Item", "Wind", None], [None, "min", "max"], ["Beam", 3, 7], ["Slab", 4, 9]]
    assert lines(tmp_path, rows, "A1:A2", "B1:C1")[2] == "Item: Beam | Wind min: 3 | Wind max: 7"
    rows = [["Item", "Wind", None, None], [None, "min", "max", "Price"], ["Beam", 3, 7, 12], ["Slab", 4, 9, 8]]
    assert lines(tmp_path, rows, "A1:A2", "B1:C1")[2] == "Item: Beam | Wind min: 3 | Wind max: 7 | Price: 12"


def test_a_cell_over_several_rows_stands_in_each_of_them(tmp_path):
    rows = [
        ["Class", "Member", "Cover"],
        ["XC1", "Beam", 30],
        [None, "Slab", 25],
        [None, "Wall", 20],
        ["XC4", "Beam", 40],
    ]
    assert lines(tmp_path, rows, "A2:A4")[1:] == [
        "Class: XC1 | Member: Beam | Cover: 30",
        "Class: XC1 | Member: Slab | Cover: 25",
        "Class: XC1 | Member: Wall | Cover: 20",
        "Class: XC4 | Member: Beam | Cover: 40",
    ]
    rows = [["Member", "Cover", "Class"], ["Beam", 30, "XC1"], ["Slab", 25], ["Wall", 20], ["Pile", 75]]
    assert lines(tmp_path, rows, "C2:D4")[2:] == [
        "Member: Slab | Cover: 25 | Class: XC1",
        "Member: Wall | Cover: 20 | Class: XC1",
        "Member: Pile | Cover: 75",
    ]


def test_a_cell_over_several_rows_fills_no_empty_row_and_no_head(tmp_path):
    rows = [["Item", "Wind", None], [None, "min", "max"], ["Beam", 3, 7], [], [None, 4, 9]]
    assert lines(tmp_path, rows, "A1:A2", "B1:C1", "A3:A5") == [
        "Item | Wind",
        "min | max",
        "Item: Beam | Wind min: 3 | Wind max: 7",
        "Item: Beam | Wind min: 4 | Wind max: 9",
    ]


def test_a_cell_of_a_hidden_row_is_seen_in_the_rows_below_that_it_reaches_into(tmp_path):
    book = openpyxl.Workbook()
    for row in (["Class", "Member", "Cover"], ["XC1", "Beam", 30], [None, "Slab", 25], ["XC4", "Beam", 40]):
        book.active.append(row)
    book.active.merge_cells("A2:A3")
    book.active.row_dimensions[2].hidden = True
    assert saved(tmp_path, book)[1] == "Class: XC1 | Member: Slab | Cover: 25"


def test_two_groups_name_the_last_column_too(tmp_path):
    rows = [["Item", "Wind", None, "Snow", None], [None, "min", "max", "min", "max"], ["Beam", 3, 7, 1, 2], ["Slab"]]
    wanted = "Item: Beam | Wind min: 3 | Wind max: 7 | Snow min: 1 | Snow max: 2"
    assert lines(tmp_path, rows, "A1:A2", "B1:C1", "D1:E1")[2] == wanted
    # Without merged cells, the gaps leave no doubt here.
    assert lines(tmp_path, rows)[2] == wanted


def test_years_may_name_columns_and_groups(tmp_path):
    rows = [["Item", 2023, 2024], ["Beam", 3, 7], ["Slab", 4, 9]]
    assert lines(tmp_path, rows)[1] == "Item: Beam | 2023: 3 | 2024: 7"
    rows = [[None, 2023, None, 2024], ["Item", "Plan", "Actual", "Plan", "Actual"], ["Beam", 3, 7, 1, 2]]
    assert lines(tmp_path, rows)[2] == "Item: Beam | 2023 Plan: 3 | 2023 Actual: 7 | 2024 Plan: 1 | 2024 Actual: 2"


def test_a_head_may_begin_with_a_digit_above_figures_alone(tmp_path):
    assert lines(tmp_path, [["Grade", "28 days"], ["C30", 38], ["C40", 48]])[1] == "Grade: C30 | 28 days: 38"
    assert lines(tmp_path, [["Beam", "45 mm", "12 €"], ["Slab", "30 mm", "9 €"]])[1] == "Slab | 30 mm | 9 €"
    assert lines(tmp_path, [["Anna", "Berlin", 1985], ["Bob", "Paris", 1990]])[1] == "Bob | Paris | 1990"


def test_a_long_head_is_cut_and_leaves_the_others_in_place(tmp_path):
    label = "Nominal cover to all reinforcement, links included, measured to the outer face"
    [_, line] = lines(tmp_path, [["Item", label, "Price"], ["Beam", 45, 12]])
    assert line == f"Item: Beam | {label[:59].rstrip()}…: 45 | Price: 12"


def test_hidden_rows_and_columns_are_left_out(tmp_path):
    book = openpyxl.Workbook()
    for row in [["Name", "Pay", "Secret"], ["Anna", 1, "s1"], ["Bob", 2, "s2"], ["Cara", 3, "s3"]]:
        book.active.append(row)
    book.active.row_dimensions[3].hidden = True
    book.active.column_dimensions["C"].hidden = True
    assert saved(tmp_path, book) == ["Name | Pay", "Name: Anna | Pay: 1", "Name: Cara | Pay: 3"]


def test_the_row_below_a_hidden_header_is_none(tmp_path):
    book = openpyxl.Workbook()
    for row in [["Name", "City", "Score"], ["Anna", "Berlin", "n/a"], ["Bob", "Paris", 5]]:
        book.active.append(row)
    book.active.row_dimensions[1].hidden = True
    assert saved(tmp_path, book) == ["Anna | Berlin | n/a", "Bob | Paris | 5"]


def test_a_decimal_comma_separates_nothing(tmp_path):
    assert csv_lines(tmp_path, "Träger;1,50;1,79\nDecke;2,50;2,99\n") == ["Träger | 1,50 | 1,79", "Decke | 2,50 | 2,99"]
    assert (
        csv_lines(tmp_path, "Item, kind;net, EUR\nBeam, steel;1,50\n")[1] == "Item, kind: Beam, steel | net, EUR: 1,50"
    )
    assert csv_lines(tmp_path, "Preis\n1,5\n2,5\n") == ["Preis", "1,5", "2,5"]
    assert find_delimiter("1,2\n3,4\n") == ","


def test_the_separator_that_a_file_names_is_used_and_no_row(tmp_path):
    assert csv_lines(tmp_path, "sep=;\nItem;Cover\nBeam;45\n") == ["Item | Cover", "Item: Beam | Cover: 45"]


def declared(path: Path, **options: int) -> list[str]:
    """Of a sheet with two declared tables side by side, of words alone, and a row below them."""
    book = openpyxl.Workbook()
    for row in [
        ["Term", "Meaning", None, "Colour", "Use"],
        ["Beam", "bar", None, "red", "stop"],
        ["Slab", "plate", None, "blue", "go"],
        ["Made by", "Anna", "Bob", "Cara", "Dan"],
    ]:
        book.active.append(row)
    for name, area in (("Terms", "A1:B3"), ("Colours", "D1:E3")):
        table = Table(displayName=name, ref=area, **options)
        table._initialise_columns()
        for column, cell in zip(table.tableColumns, book.active[area.replace("3", "1")][0], strict=True):
            column.name = cell.value
        book.active.add_table(table)
    return saved(path, book)


def test_a_declared_table_names_its_columns_and_no_others(tmp_path):
    assert declared(tmp_path) == [
        "Term | Meaning | Colour | Use",
        "Term: Beam | Meaning: bar | Colour: red | Use: stop",
        "Term: Slab | Meaning: plate | Colour: blue | Use: go",
        "Made by | Anna | Bob | Cara | Dan",
    ]


def test_a_declared_table_without_a_header_row_names_nothing(tmp_path):
    assert declared(tmp_path, headerRowCount=0)[1] == "Beam | bar | red | stop"


def test_loose_quotation_marks_keep_each_row_apart(tmp_path):
    text = 'Item;Size;Price\npipe;"4;10\nrod;5;20\nbar;6;30\nbolt;"7;40\n'
    assert csv_lines(tmp_path, text)[1:] == [
        'Item: pipe | Size: "4 | Price: 10',
        "Item: rod | Size: 5 | Price: 20",
        "Item: bar | Size: 6 | Price: 30",
        'Item: bolt | Size: "7 | Price: 40',
    ]
