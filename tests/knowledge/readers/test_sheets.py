from __future__ import annotations

import datetime as dt
import resource
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from knowledge.readers.isolation.reader_process import read_pages
from knowledge.readers.sheets import pages as sheet_pages
from knowledge.readers.sheets.csv import find_delimiter
from knowledge.readers.sheets.number_formats import cell_text
from knowledge.readers.types import (
    DamagedDocument,
    EmptyDocument,
    Limits,
    PageText,
    TooLarge,
    TooManyPages,
    UnreadableDocument,
    UnsupportedDocument,
)
from tests.knowledge.readers.made import read_here, repacked
from tests.linear_time import grows_linearly


def workbook(path: Path, build: Callable[[Any], None]) -> Path:
    book = openpyxl.Workbook()
    build(book)
    book.save(path)
    return path


def prices(book: Any) -> None:
    sheet = book.active
    sheet.title = "Prices"
    sheet.append(["Price list 2026"])
    sheet.append(["Item", "Price", "Share", "From", "In stock"])
    for number in range(1, 121):
        sheet.append([f"Beam {number}", 12.5 * number, 0.075, dt.datetime(2026, 3, 1), True])
    for row in sheet.iter_rows(min_row=3):
        row[1].number_format, row[2].number_format = '#,##0.00 "€"', "0.0%"
    notes = book.create_sheet("Notes")
    notes.append(["Delivery takes ten days."])
    book.create_sheet("Drafts").append(["Not for customers"])
    book["Drafts"].sheet_state = "hidden"


def test_sheets_are_pages_of_rows_with_the_names_of_their_columns(tmp_path):
    header, pages = read_here(workbook(tmp_path / "a.xlsx", prices), "xlsx")
    assert (header.paged, header.page_total) == (True, 4)
    assert [page.label for page in pages] == [
        "sheet Prices, rows 1–50",
        "sheet Prices, rows 51–100",
        "sheet Prices, rows 101–122",
        "sheet Notes, row 1",
    ]
    assert pages[0].text.split("\n")[:3] == [
        "Price list 2026",
        "Item | Price | Share | From | In stock",
        "Item: Beam 1 | Price: 12.50 € | Share: 7.5% | From: 2026-03-01 | In stock: TRUE",
    ]
    assert pages[2].text.endswith(
        "Item: Beam 120 | Price: 1,500.00 € | Share: 7.5% | From: 2026-03-01 | In stock: TRUE"
    )
    assert [[one.title for one in page.headings] for page in pages] == [["Prices"], [], [], ["Notes"]]
    assert not any("customers" in page.text for page in pages)


def test_rows_keep_their_numbers_and_an_empty_row_begins_a_new_table(tmp_path):
    def build(book: Any) -> None:
        rows = [["Exposure", "Cover"], ["Mild", 20], ["Severe", 45], [], [], ["Grade", "Strength"], ["M20", 20]]
        for row in rows:
            book.active.append(row)

    _, [page] = read_here(workbook(tmp_path / "a.xlsx", build), "xlsx")
    assert page.label == "sheet Sheet, rows 1–7"
    assert page.text.split("\n") == [
        "Exposure | Cover",
        "Exposure: Mild | Cover: 20",
        "Exposure: Severe | Cover: 45",
        "Grade | Strength",
        "Grade: M20 | Strength: 20",
    ]


def test_a_formula_is_read_by_the_value_that_the_file_holds(tmp_path):
    def build(book: Any) -> None:
        book.active.append(["Item", "Total"])
        book.active.append(["Beam", "=6*7"])

    path = workbook(tmp_path / "a.xlsx", build)
    header, [page] = read_here(path, "xlsx")
    assert page.text == "Item | Total\nBeam"
    assert header.metadata == {"formulas without a value": "1"}
    with zipfile.ZipFile(path) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
    computed = sheet.replace("<v></v>", "<v>42</v>").replace("<v />", "<v>42</v>").replace("<v/>", "<v>42</v>")
    header, [page] = read_here(repacked(path, {"xl/worksheets/sheet1.xml": computed.encode()}), "xlsx")
    assert page.text == "Item | Total\nItem: Beam | Total: 42"
    assert header.metadata == {}


def test_a_workbook_of_formulas_alone_says_what_to_do(tmp_path):
    path = workbook(tmp_path / "a.xlsx", lambda book: book.active.append(["=1+1"]))
    with pytest.raises(EmptyDocument) as refused:
        read_here(path, "xlsx")
    assert refused.value.message == "The workbook holds formulas, and no value of any of them."


@pytest.mark.parametrize(
    ("value", "number_format", "shown"),
    [
        (45, "General", "45"),
        (45.0, "General", "45"),
        (0.1 + 0.2, "General", "0.3"),
        (1.1, "0.00", "1.10"),
        (1234.5, "#,##0.00", "1,234.50"),
        (0.075, "0.0%", "7.5%"),
        (12, '0 "kN/m²"', "12 kN/m²"),
        (12.25, "[$€-407]#,##0.00", "€12.25"),
        (-3, "0;[Red]-0", "-3"),
        (1500, "0,", "1500"),
        (1_500_000, '0.0,,"M"', "1500000"),
        (1_500_000, "#,##0.0,", "1500000"),
        (1_500, '[>=1000]0.0,"k";0', "1500"),
        (500, '[>=1000]0" k";0" units"', "500"),
        (0.5, "# ?/?", "0.5"),
        # Rounded as Excel does: a half goes up.
        (2.5, "0", "3"),
        (0.125, "0.00", "0.13"),
        (0.285, "0%", "29%"),
        (1.005, "0.00", "1.01"),
        (-2.5, "0", "-3"),
        (2.345, "0.0#", "2.35"),
        (1e300, "0.00", "1e+300"),
        # Each section brings its own sign.
        (-5, "+0;-0;0", "-5"),
        (5, "+0;-0;0", "+5"),
        (-5, '0 "gain";0 "loss"', "5 loss"),
        (-5, "#,##0;(#,##0)", "(5)"),
        (-5, '"€"0', "-€5"),
        (5, '0"a;b"', "5a;b"),
        (0, "0;-0;;@", ""),
        (5, ";;;", ""),
        (7, "00000", "00007"),
        (45, 'General" mm"', "45 mm"),
        (12000, "0.00E+00", "12000"),
        (2.5, "0.##", "2.5"),
        (True, "General", "TRUE"),
        (dt.datetime(2026, 3, 1), "dd/mm/yyyy", "2026-03-01"),
        (dt.datetime(2026, 3, 1, 14, 30), "General", "2026-03-01 14:30"),
        (dt.time(9, 5), "h:mm", "09:05"),
        (dt.timedelta(hours=30, minutes=5), "[h]:mm", "30:05"),
        (dt.timedelta(minutes=-30), "[h]:mm", "-0:30"),
        (float("inf"), "0.00", "#NUM!"),
        ("M20", "General", "M20"),
    ],
)
def test_values_look_as_their_format_says(value, number_format, shown):
    assert cell_text(value, number_format) == shown


def test_number_formats_are_read_in_linear_time():
    from knowledge.readers.sheets.number_formats import parse_format, split_sections

    for unit in ('"', "[", "\\", "[$", "0.", '"a"', "0#?,", "Gener", ";"):
        assert grows_linearly(parse_format.__wrapped__, unit)
        assert grows_linearly(split_sections.__wrapped__, unit)


def test_a_workbook_with_macros_is_read_without_them(tmp_path):
    path = workbook(tmp_path / "a.xlsm", lambda book: book.active.append(["Cover is 45 mm."]))
    with zipfile.ZipFile(path) as archive:
        types = archive.read("[Content_Types].xml").decode()
    macro = "application/vnd.ms-excel.sheet.macroEnabled.main+xml"
    types = types.replace("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml", macro)
    repacked(path, {"[Content_Types].xml": types.encode(), "xl/vbaProject.bin": b"Attribute VB_Name Shell"})
    assert read_here(path, "xlsx")[1][0].text == "Cover is 45 mm."


def test_an_archive_of_another_kind_is_not_a_workbook(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.xlsx", "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(UnsupportedDocument):
        read_here(tmp_path / "a.xlsx", "xlsx")


@pytest.mark.parametrize(
    "part", ["xl/workbook.xml", "xl/worksheets/sheet1.xml", "xl/styles.xml", "[Content_Types].xml"]
)
def test_a_broken_part_is_damaged(tmp_path, part):
    path = repacked(workbook(tmp_path / "a.xlsx", prices), {part: b"<not xml"})
    with pytest.raises(DamagedDocument):
        read_here(path, "xlsx")


SHEET = (
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{}</sheetData></worksheet>'
)
LAUGHS = (
    '<!DOCTYPE x [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in zip("abcdefghi", "bcdefghij", strict=True))
    + "]>"
)


def _far_cell(path: Path) -> None:
    row = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    repacked(path, {"xl/worksheets/sheet1.xml": SHEET.format(row).encode()})


def _rows_without_end(path: Path) -> None:
    row = '<row r="1"><c r="A1"><v>1</v></c></row><row r="99999999999"><c r="A99999999999"><v>1</v></c></row>'
    repacked(path, {"xl/worksheets/sheet1.xml": SHEET.format(row).encode()})


def _entities(path: Path) -> None:
    row = '<row r="1"><c r="A1" t="inlineStr"><is><t>&j;</t></is></c></row>'
    repacked(path, {"xl/worksheets/sheet1.xml": (LAUGHS + SHEET.format(row)).encode()})


def _shared_entities(path: Path) -> None:
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    strings = f'{LAUGHS}<sst xmlns="{space}"><si><t>&j;</t></si></sst>'
    repacked(path, {"xl/sharedStrings.xml": strings.encode()})


def _cyclic_relations(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        relations = archive.read("xl/_rels/workbook.xml.rels").decode()
    repacked(path, {"xl/_rels/workbook.xml.rels": relations.replace("worksheets/sheet1.xml", "workbook.xml").encode()})


def _bomb(path: Path) -> None:
    repacked(path, {"xl/worksheets/sheet1.xml": SHEET.format(" " * 70_000_000).encode()})


def _million_columns(path: Path) -> None:
    cells = "".join('<c t="inlineStr"><is><t>x</t></is></c>' for _ in range(400_000))
    repacked(path, {"xl/worksheets/sheet1.xml": SHEET.format(f'<row r="1">{cells}</row>').encode()})


HOSTILE = [_far_cell, _rows_without_end, _entities, _shared_entities, _cyclic_relations, _bomb, _million_columns]


@pytest.mark.parametrize("spoil", HOSTILE, ids=[one.__name__.strip("_") for one in HOSTILE])
def test_f2_hostile_workbooks_end_with_a_reason(tmp_path, spoil):
    path = workbook(tmp_path / "a.xlsx", lambda book: book.active.append(["Cover", 45]))
    spoil(path)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        text = "".join(getattr(event, "text", "") for event in read_pages(path, source_type="xlsx"))
    except UnreadableDocument as refused:
        assert refused.code in ("too_large", "damaged", "too_many_pages", "empty")  # noqa: PT017 -- either end is right
    else:
        assert spoil is _shared_entities
        assert "haha" not in text
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime - before.ru_utime < 60


@pytest.mark.parametrize(
    ("cells", "line"),
    [
        ('<c r="A1"><v>NaN</v></c><c r="B1"><v>2</v></c>', "NaN | 2"),
        ('<c r="A1"><v>1E400</v></c><c r="B1"><v>2</v></c>', "#NUM! | 2"),
        ('<c r="A1" t="d"><v>2024-13-45</v></c><c r="B1"><v>2</v></c>', "2024-13-45 | 2"),
        ('<c r="B1"><v>2</v></c><c r="A1"><v>1</v></c>', "1 | 2"),
        ('<c r="A1" t="inlineStr"><is><t>a_x000D_b</t></is></c>', "a b"),
    ],
)
def test_odd_cells_do_not_take_the_others_with_them(tmp_path, cells, line):
    path = workbook(tmp_path / "a.xlsx", lambda book: book.active.append(["Cover"]))
    repacked(path, {"xl/worksheets/sheet1.xml": SHEET.format(f'<row r="1">{cells}</row>').encode()})
    assert read_here(path, "xlsx")[1][0].text == line


# CSV


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_separator_is_found_by_what_it_makes_of_the_rows(tmp_path, delimiter):
    rows = [["Exposure", "Cover, nominal", "Note; more"], ["Mild", "20 mm", "a|b"], ["Severe", "45 mm", "c"]]
    quoted = [[f'"{cell}"' for cell in row] for row in rows]
    (tmp_path / "a.csv").write_text("\n".join(map(delimiter.join, quoted)))
    header, [page] = read_here(tmp_path / "a.csv", "csv")
    assert header.paged
    assert page.label == "rows 1–3"
    assert page.text.split("\n") == [
        "Exposure | Cover, nominal | Note; more",
        "Exposure: Mild | Cover, nominal: 20 mm | Note; more: a|b",
        "Exposure: Severe | Cover, nominal: 45 mm | Note; more: c",
    ]


def test_decimal_commas_do_not_hide_semicolons():
    assert find_delimiter("Maß;Wert\nBreite;1,5\nHöhe;2,5\nTiefe;3\n") == ";"


def test_a_csv_in_another_character_set_is_read(tmp_path):
    (tmp_path / "a.csv").write_bytes("Größe;Preis\nklein;12 €\n".encode("cp1252"))
    assert read_here(tmp_path / "a.csv", "csv")[1][0].text == "Größe | Preis\nGröße: klein | Preis: 12 €"


def test_a_line_break_in_quotation_marks_belongs_to_its_cell(tmp_path):
    (tmp_path / "a.csv").write_text('Item,Price,Note\nBeam,1,"first\nsecond"\nSlab,2,third\n')
    [page] = read_here(tmp_path / "a.csv", "csv")[1]
    assert page.text.split("\n")[1] == "Item: Beam | Price: 1 | Note: first second"


def test_every_page_of_a_long_table_says_what_its_columns_are(tmp_path):
    (tmp_path / "a.csv").write_text("Item,Price\n" + "".join(f"Beam {number},{number}\n" for number in range(1, 200)))
    _, pages = read_here(tmp_path / "a.csv", "csv")
    assert [page.label for page in pages] == ["rows 1–50", "rows 51–100", "rows 101–150", "rows 151–200"]
    assert pages[3].text.endswith("Item: Beam 199 | Price: 199")


def test_a_csv_without_words_is_empty(tmp_path):
    (tmp_path / "a.csv").write_text(",,\n,,\n")
    with pytest.raises(EmptyDocument):
        read_here(tmp_path / "a.csv", "csv")


def test_f2_a_million_columns_and_endless_cells_are_too_large(tmp_path):
    (tmp_path / "a.csv").write_text("a," * 1_000_000)
    with pytest.raises(TooLarge) as refused:
        list(read_pages(tmp_path / "a.csv", source_type="csv"))
    assert refused.value.message == "A row of the table has more than 1000 columns."
    (tmp_path / "b.csv").write_text('"' + "word " * 100_000)
    with pytest.raises(TooLarge):
        list(read_pages(tmp_path / "b.csv", source_type="csv"))


def test_too_many_rows_and_cells_are_refused(tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_text("Item,Price\n" * 500)
    with pytest.raises(TooManyPages):
        read_here(tmp_path / "a.csv", "csv", max_pages=9)
    monkeypatch.setattr(sheet_pages, "MAX_CELLS", 1_000)
    with pytest.raises(TooLarge):
        read_here(tmp_path / "a.csv", "csv")


def test_the_child_sends_what_a_page_is_called(tmp_path):
    (tmp_path / "a.csv").write_text("Item,Price\nBeam,1\n")
    _, page = read_pages(tmp_path / "a.csv", source_type="csv", limits=Limits())
    assert isinstance(page, PageText)
    assert page.label == "rows 1–2"
