"""Tables below a line of names, with two columns or with cells of several lines."""

from __future__ import annotations

from pathlib import Path

from reportlab.pdfgen.canvas import Canvas

from tests.knowledge.readers.pdf.test_framed_tables import HEIGHT, across, lines_of, write_rows

PARTIES = [("T1", "Northern Line"), ("T2", "Baltic Cable"), ("T3", "Hansa Wire"), ("T4", "Baltic Cable")]
STEPS = [
    ("", "Event", "Payment"),
    ("1.", "The plan is handed over and the council has", "4,000 euros"),
    ("", "said that it may be carried out as it stands.", ""),
    ("2.", "The walls stand.", "9,000 euros"),
    ("3.", "The roof is closed, whatever the weather, and", "2,500 euros"),
    ("", "the scaffold is taken down.", ""),
]


def canvas_at(path: Path) -> Canvas:
    return Canvas(str(path), pagesize=(600, HEIGHT))


def write_pairs(canvas: Canvas, head: tuple[str, str]) -> None:
    canvas.drawString(120, HEIGHT - 112, head[0])
    canvas.drawString(330, HEIGHT - 112, head[1])
    write_rows(canvas, PARTIES, top=130, lefts=(140, 320))


def test_two_columns_are_a_table_below_names_that_are_underlined(tmp_path):
    canvas = canvas_at(tmp_path / "a.pdf")
    write_pairs(canvas, ("Segment", "Owner"))
    across(canvas, 115, 120, 165)
    across(canvas, 115, 330, 366)
    lines = lines_of(canvas, tmp_path / "a.pdf")
    assert lines[0] == "Segment | Owner"
    assert "Segment: T3 | Owner: Hansa Wire" in lines


def test_two_columns_without_a_line_stay_text(tmp_path):
    canvas = canvas_at(tmp_path / "a.pdf")
    write_pairs(canvas, ("Segment", "Owner"))
    assert not any(" | " in line for line in lines_of(canvas, tmp_path / "a.pdf"))


def test_people_who_sign_side_by_side_are_no_table(tmp_path):
    canvas = canvas_at(tmp_path / "a.pdf")
    lines = [("Buyer", "Seller"), ("Anna Holm", "Piet Maas"), ("Director", "Manager"), ("4 May", "6 May")]
    write_rows(canvas, lines, top=112, lefts=(100, 320))
    for height in (115, 129, 143):
        across(canvas, height, 100, 200)
        across(canvas, height, 320, 420)
    assert not any(" | " in line for line in lines_of(canvas, tmp_path / "a.pdf"))


def test_cells_of_several_lines_stay_in_the_row_that_its_number_begins(tmp_path):
    canvas = canvas_at(tmp_path / "a.pdf")
    for at, (number, event, payment) in enumerate(STEPS):
        for left, text in ((80, number), (110, event), (400, payment)):
            canvas.drawString(left, HEIGHT - 112 - 14 * at, text)
    lines = lines_of(canvas, tmp_path / "a.pdf")
    whole = "The plan is handed over and the council has said that it may be carried out as it stands."
    assert f"1. | Event: {whole} | Payment: 4,000 euros" in lines
    assert "2. | Event: The walls stand. | Payment: 9,000 euros" in lines
