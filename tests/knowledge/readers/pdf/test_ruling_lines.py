"""The lines of a page are those that pdfplumber's own reader of pages finds, which is asked here and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pdfplumber
import pypdfium2
import pytest
from reportlab.pdfgen.canvas import Canvas

from knowledge.readers.pdf.page_layout import PageFrame
from knowledge.readers.pdf.ruled_tables import TableFinder
from knowledge.readers.pdf.ruling_lines import Rule, can_make_table, read_rules
from tests.knowledge.readers.made import pdf, ruled_table

Draw = Callable[[Canvas], None]


def grid_of_lines(canvas: Canvas) -> None:
    canvas.grid([72, 150, 260, 400], [400, 430, 470, 500])


def rectangles(canvas: Canvas) -> None:
    for row in range(3):
        for column in range(3):
            canvas.rect(100 + 80 * column, 300 + 25 * row, 80, 25, fill=row == 0)


def scaled(canvas: Canvas) -> None:
    canvas.translate(20, 30)
    canvas.scale(0.24, 0.24)
    canvas.grid([300, 700, 1300], [1000, 1200, 1500, 1900])


def sideways(canvas: Canvas) -> None:
    canvas.setPageRotation(90)
    grid_of_lines(canvas)


def upside_down(canvas: Canvas) -> None:
    canvas.setPageRotation(180)
    rectangles(canvas)


def turned_by_270(canvas: Canvas) -> None:
    canvas.setPageRotation(270)
    grid_of_lines(canvas)


def within_forms(canvas: Canvas) -> None:
    canvas.beginForm("inner")
    canvas.grid([0, 50, 120], [0, 20, 45])
    canvas.endForm()
    canvas.beginForm("outer")
    canvas.translate(10, 5)
    canvas.doForm("inner")
    canvas.endForm()
    canvas.translate(100, 400)
    canvas.scale(2, 1.5)
    canvas.doForm("outer")


def one_path_of_many_parts(canvas: Canvas) -> None:
    path = canvas.beginPath()
    for x in (100, 200, 300):
        path.moveTo(x, 200)
        path.lineTo(x, 320)
    for y in (200, 250, 320):
        path.moveTo(100, y)
        path.lineTo(300, y)
    canvas.drawPath(path)


def round_corners(canvas: Canvas) -> None:
    for row in range(3):
        for column in range(3):
            canvas.roundRect(100 + 90 * column, 300 + 40 * row, 90, 40, 6)
    canvas.bezier(100, 100, 104, 100, 110, 104, 110, 110)  # ends off the line that it begins on
    canvas.circle(300, 150, 40)


def closed_outlines(canvas: Canvas) -> None:
    for x in (100, 180, 260):
        path = canvas.beginPath()
        path.moveTo(x, 200)
        path.lineTo(x + 80, 200)
        path.lineTo(x + 80, 240)
        path.lineTo(x + 40, 280)
        path.lineTo(x, 240)
        path.close()
        canvas.drawPath(path, fill=1)
        line = canvas.beginPath()
        line.moveTo(x, 240)
        line.lineTo(x + 80, 240)
        line.close()
        canvas.drawPath(line)


DRAWINGS: list[Draw] = [
    grid_of_lines,
    rectangles,
    scaled,
    sideways,
    upside_down,
    turned_by_270,
    within_forms,
    one_path_of_many_parts,
    round_corners,
    closed_outlines,
    ruled_table(),
]


def rules_of(path: Path) -> list[Rule]:
    document = pypdfium2.PdfDocument(path)
    page = document[0]
    left, bottom, right, top = page.get_bbox()
    frame = PageFrame(left=left, bottom=bottom, right=right, top=top, rotation=page.get_rotation())
    return read_rules(page, frame=frame)


def rounded(*sides: float) -> tuple[float, ...]:
    return tuple(round(side, 2) + 0.0 for side in sides)


def edges_of(path: Path) -> list[Any]:
    with pdfplumber.open(path) as document:
        edges = [edge for edge in document.pages[0].edges if edge["orientation"]]
    lengths = {"v": "height", "h": "width"}
    return sorted(
        (edge["orientation"], rounded(edge["x0"], edge["top"], edge["x1"], edge["bottom"]))
        for edge in edges
        if edge[lengths[edge["orientation"]]] >= 1
    )


@pytest.mark.parametrize("draw", DRAWINGS)
def test_they_are_those_that_pdfplumber_finds(tmp_path: Path, draw: Draw) -> None:
    path = pdf(tmp_path / "a.pdf", draw)
    found = sorted(("v" if rule.is_up else "h", rounded(*rule[:4])) for rule in rules_of(path))
    assert found == edges_of(path)
    assert found


@pytest.mark.parametrize("draw", [draw for draw in DRAWINGS if draw not in (closed_outlines, round_corners)])
def test_its_tables_are_those_that_pdfplumber_finds(tmp_path: Path, draw: Draw) -> None:
    path = pdf(tmp_path / "a.pdf", draw)
    rules = rules_of(path)
    assert can_make_table(rules)
    grids = TableFinder(cpu_seconds=5.0).grids(rules)
    with pdfplumber.open(path) as document:
        tables = [[row.cells for row in table.rows] for table in document.pages[0].find_tables()]
    assert grids
    assert [[[cell and rounded(*cell) for cell in row] for row in grid] for grid in grids] == [
        [[cell and rounded(*cell) for cell in row] for row in table] for table in tables
    ]


def test_they_are_counted_from_the_corner_of_what_is_shown(tmp_path: Path) -> None:
    def cropped(canvas: Canvas) -> None:
        canvas.setCropBox((50, 60, 545, 742))
        grid_of_lines(canvas)

    rules = rules_of(pdf(tmp_path / "a.pdf", cropped))
    assert min(rule.x0 for rule in rules) == pytest.approx(72 - 50)
    assert min(rule.top for rule in rules) == pytest.approx(742 - 500)


def test_a_frame_with_underlines_makes_no_table(tmp_path: Path) -> None:
    def framed(canvas: Canvas) -> None:
        canvas.rect(50, 50, 400, 700)
        for at in range(12):
            canvas.line(72, 700 - 16 * at, 200, 700 - 16 * at)

    rules = rules_of(pdf(tmp_path / "a.pdf", framed))
    assert len(rules) == 16
    assert not can_make_table(rules)
