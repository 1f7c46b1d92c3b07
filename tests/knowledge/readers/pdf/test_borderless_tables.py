"""Tables of words whose columns only the white between them tells apart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from benchmarks.pdf_tables import LAYOUTS, Table, draw_tables, read_tables
from knowledge.readers import read
from knowledge.readers.types import Limits, PageText, ReadingPoint
from tests.knowledge.readers.made import pdf, read_here

TABLES = {table.title: table for table in read_tables()}
ROOMS, KNOTS, STATES = TABLES["Reading rooms"], TABLES["Knots of a rescue team"], TABLES["States of the Union"]


def pages_of(folder: Path, *tables: Table, layout: str = "plain", repeated: bool = False) -> list[PageText]:
    path = draw_tables(tables, folder / "a.pdf", layout=layout, repeated=repeated)
    _, pages = read_here(path, "pdf")
    assert all(
        page.text[start:end].split() == [page.text[start:end]] for page in pages for start, end, *_ in page.words
    )
    return pages


def lines_of(*pages: PageText) -> list[str]:
    return [line for page in pages for line in page.text.splitlines()]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_sp_13_each_cell_is_named_by_its_column_whatever_lines_are_drawn(tmp_path, layout):
    lines = lines_of(*pages_of(tmp_path, ROOMS, layout=layout))
    assert "Room | Opens | Closes | Keeper | Telephone" in lines
    assert "Room: Music | Opens: noon | Closes: 6 p.m. | Keeper: Grete Holm | Telephone: 4431" in lines


@pytest.mark.parametrize("layout", LAYOUTS)
def test_lines_of_one_cell_stay_together(tmp_path, layout):
    purpose = "climbing a rope, and holding a load while the main rope is changed over"
    expected = f"Knot: Prusik | Purpose: {purpose} | Strength kept: 75 % | Checked by: the team leader"
    assert expected in lines_of(*pages_of(tmp_path, KNOTS, layout=layout))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("repeated", [True, False])
def test_rows_after_a_page_break_keep_the_heads_of_their_columns(tmp_path, layout, repeated):
    pages = pages_of(tmp_path, STATES, layout=layout, repeated=repeated)
    assert len(pages) == 2
    heads = [line for line in lines_of(*pages) if line == "State | Capital | Admitted | Postal code"]
    assert len(heads) == 1 + repeated
    assert "State: Wyoming | Capital: Cheyenne | Admitted: 1890 | Postal code: WY" in lines_of(pages[1])


def test_a_table_goes_on_after_reading_was_interrupted(tmp_path):
    whole = pages_of(tmp_path, STATES)
    state = json.loads(json.dumps(whole[0].state))
    resume = ReadingPoint(page=1, state=state)
    _, *rest = read(tmp_path / "a.pdf", source_type="pdf", limits=Limits(), resume=resume)
    assert rest == whole[1:]


def test_another_table_on_the_next_page_has_its_own_heads(tmp_path):
    assert "Metal | Symbol | Density | Melting point | Use" in lines_of(
        *pages_of(tmp_path, TABLES["Planets of the Sun"], STATES, TABLES["Metals and what they are used for"])
    )


def test_prose_in_three_columns_is_no_table(tmp_path):
    prose = "The committee met in March and heard that Most of the money had been spent on Roads".split()  # noqa: SIM905

    def draw(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 9)
        for row in range(12):
            for column in range(3):
                at = (5 * row + 7 * column) % len(prose)
                words = (prose * 2)[at : at + 5]
                canvas.drawString(60 + 170 * column, 700 - 12 * row, " ".join(words))

    _, [page] = read_here(pdf(tmp_path / "a.pdf", draw), "pdf")
    assert "|" not in page.text


def test_dots_that_lead_from_cell_to_cell_are_white(tmp_path):
    def page(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 9)
        rows = [["Room", "Keeper", "Opens"], ["Music", "Grete Holm", "noon"], ["Maps", "Olav Dahl", "early"]]
        rows += [["Letters", "Ines Vik", "late"], ["Prints", "Jan Moe", "noon"]]
        for number, row in enumerate(rows):
            for at, text in enumerate(row):
                left, y = 72 + 150 * at, 700 - 14 * number
                canvas.drawString(left, y, text)
                begin = left + canvas.stringWidth(text, "Helvetica", 9) + 3
                if number and at < 2:
                    dots = "." * int((left + 148 - begin) / canvas.stringWidth(".", "Helvetica", 9))
                    canvas.drawString(begin, y, dots)

    [read] = read_here(pdf(tmp_path / "a.pdf", page), "pdf")[1]
    lines = ["".join(line.replace(" .", "").split(".")) for line in read.text.splitlines()]
    assert "Room: Music | Keeper: Grete Holm | Opens: noon" in lines
