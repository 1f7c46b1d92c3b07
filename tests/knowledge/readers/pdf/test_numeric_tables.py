"""Tables without lines, set with a canvas as annual reports set them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from reportlab.pdfgen.canvas import Canvas

from tests.knowledge.readers.made import lines, pdf, read_here

YEARS = ["Source", "2011", "2012", "2013"]
RECEIPTS = [
    ["Income Taxes", "1,091,473", "1,132,206", "1,316,405"],
    ["Customs Duties", "29,519", "30,307", "31,815"],
    ["Estate and Gift Taxes", "7,399", "13,973", "(18,912)"],
    ["Total receipts", "2,303,466", "2,449,988", "2,775,103"],
]
EDGES = [72, 300, 380, 460]


def rows_of(rows: Sequence[Sequence[str]], *, top: float = 700, edges: Sequence[float] = EDGES):
    """Names begin at the left, figures end at the edge of their column."""

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 9)
        for number, row in enumerate(rows):
            for column, text in enumerate(row):
                place = canvas.drawRightString if column else canvas.drawString
                place(edges[column], top - 14 * number, text)

    return draw


def text_of(tmp_path, *draw) -> str:
    def page(canvas: Canvas) -> None:
        for each in draw:
            each(canvas)

    _, [read] = read_here(pdf(tmp_path / "a.pdf", page), "pdf")
    assert all(read.text[start:end].strip() == read.text[start:end] for start, end, *_ in read.words or [])
    return read.text


def test_sp_13_a_row_names_each_figure_by_the_head_of_its_column(tmp_path):
    text = text_of(
        tmp_path, lines("Table 1. Receipts by source", "[In millions of dollars]"), rows_of([YEARS, *RECEIPTS])
    )
    assert text.splitlines()[:5] == [
        "Table 1. Receipts by source",
        "[In millions of dollars]",
        "Source | 2011 | 2012 | 2013",
        "Source: Income Taxes | 2011: 1,091,473 | 2012: 1,132,206 | 2013: 1,316,405",
        "Source: Customs Duties | 2011: 29,519 | 2012: 30,307 | 2013: 31,815",
    ]


def test_heads_of_several_lines_are_put_together(tmp_path):
    heads = [["", "Total", "Under 18", "18 years"], ["Offense", "arrests", "years", "and over"]]
    arrests = [["Robbery", "12.1", "2.5", "9.5"], ["Burglary", "35.9", "7.7", "28.2"], ["Arson", "1.4", ".6", "–"]]
    text = text_of(tmp_path, rows_of([*heads, *arrests]))
    assert "Offense: Arson | Total arrests: 1.4 | Under 18 years: .6 | 18 years and over: –" in text.splitlines()


def test_a_name_of_two_lines_and_the_name_of_a_group_go_before_their_row(tmp_path):
    rows = [
        YEARS,
        ["Department of the Interior"],
        *RECEIPTS[:2],
        ["Deposit of Earnings,"],
        ["Federal Reserve", "4", "2", "9"],
    ]
    text = text_of(tmp_path, rows_of(rows))
    assert "Source: Department of the Interior Income Taxes | 2011: 1,091,473" in text
    assert "Source: Deposit of Earnings, Federal Reserve | 2011: 4 | 2012: 2 | 2013: 9" in text


def test_a_year_above_its_months_holds_for_each_of_them(tmp_path):
    heads = ["Month", "Mining", "Trade"]
    months = [["2001"], ["January", "5.1", "4.2"], ["February", "5.3", "4.4"], ["2002"], ["January", "6.1", "5.2"]]
    found = text_of(tmp_path, rows_of([heads, *months, ["February", "6.2", "5.4"]])).splitlines()
    assert found[-1] == "Month 2002: February | Mining: 6.2 | Trade: 5.4"
    assert "Month 2001: February | Mining: 5.3 | Trade: 4.4" in found


def test_rows_whose_names_are_years_have_a_head_as_well(tmp_path):
    rows = [["Budget", "+1", "+2", "+3"], *([str(year), "-0.13", "-0.09", ".."] for year in (2001, 2003, 2007))]
    assert "Budget: 2003 | +1: -0.13 | +2: -0.09 | +3: .." in text_of(tmp_path, rows_of(rows))


def test_two_tables_of_a_page_keep_their_own_heads(tmp_path):
    later = [["Source", "2014", "2015", "2016"], *RECEIPTS]
    text = text_of(tmp_path, rows_of([YEARS, *RECEIPTS]), rows_of(later, top=500))
    assert "Source: Customs Duties | 2011: 29,519" in text
    assert "Source: Customs Duties | 2014: 29,519" in text


@pytest.mark.parametrize(
    "texts",
    [
        [
            "In 2011 and 2012 the sum was 30 307",
            "and in the next years 1 2, which is",
            "less than in the year of 1997 1998",
        ],
        ["1 Purpose . . . . . . . 2", "2 Scope . . . . . . . . 4", "3 Terms . . . . . . . . 5"],
        ["Write to P.O. Box 12 34", "Springfield 62 704", "Telephone 555 0100"],
    ],
    ids=["prose", "contents", "address"],
)
def test_lines_that_end_with_figures_are_not_a_table_by_that_alone(tmp_path, texts):
    assert text_of(tmp_path, lines(*texts)).splitlines() == texts


@pytest.mark.parametrize("degrees", [90, -90])
def test_a_table_that_is_set_sideways_has_its_rows(tmp_path, degrees: int):
    def page(canvas: Canvas) -> None:
        canvas.translate(*((600, 0) if degrees > 0 else (0, 800)))
        canvas.rotate(degrees)
        rows_of([YEARS, *RECEIPTS], top=500)(canvas)

    _, [read] = read_here(pdf(tmp_path / "a.pdf", page), "pdf")
    assert "Source: Income Taxes | 2011: 1,091,473 | 2012: 1,132,206 | 2013: 1,316,405" in read.text.splitlines()
    boxes = {read.text[start:end]: box for start, end, *box in read.words or []}
    left, top, right, bottom = boxes["1,091,473"]
    assert bottom - top > 3 * (right - left)  # where it stands on the page as it is shown
    assert (boxes["1,316,405"][1] < top) == (degrees > 0)


def test_a_row_with_gaps_in_its_figures_does_not_undo_the_table(tmp_path):
    def draw(canvas: Canvas) -> None:
        rows_of([YEARS, *RECEIPTS * 6])(canvas)
        canvas.drawString(72, 300, "Refunds")
        for column, edge in enumerate(EDGES[1:]):
            canvas.drawRightString(edge - 22, 300, f"1{column}")
            canvas.drawRightString(edge, 300, "344")

    read = text_of(tmp_path, draw).splitlines()
    assert read[1] == "Source: Income Taxes | 2011: 1,091,473 | 2012: 1,132,206 | 2013: 1,316,405"
    assert read[-1] == "Source: Refunds | 2011: 10 344 | 2012: 11 344 | 2013: 12 344"
