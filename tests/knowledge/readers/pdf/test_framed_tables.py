"""Tables of which lines show the columns, but not each row or each side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from reportlab.pdfgen.canvas import Canvas

from tests.knowledge.readers.made import read_here

HEIGHT = 800
BERRIES = [
    ("Berry", "Month", "Price"),
    ("Currant", "July", "2.40"),
    ("Gooseberry", "June", "3.10"),
    ("Raspberry", "August", "4.75"),
    ("Elder", "September", "1.90"),
]
LEFTS = (100, 220, 340)


def lines_of(canvas: Canvas, path: Path) -> list[str]:
    for at in range(8):  # a page with fewer lines is not asked for tables
        canvas.line(20, 20 + at, 21, 20 + at)
    canvas.save()
    _, pages = read_here(path, "pdf")
    for page in pages:
        words = [page.text[start:end] for start, end, *_ in page.words]
        assert words == [word for word in words if " " not in word]
    return [line for page in pages for line in page.text.splitlines()]


def write_rows(canvas: Canvas, rows: Sequence[Sequence[str]], *, top: float, lefts: Sequence[float] = LEFTS) -> None:
    for at, row in enumerate(rows):
        for left, text in zip(lefts, row, strict=True):
            canvas.drawString(left, HEIGHT - top - 14 * at, text)


def across(canvas: Canvas, top: float, left: float = 95, right: float = 450) -> None:
    canvas.line(left, HEIGHT - top, right, HEIGHT - top)


def up(canvas: Canvas, left: float, top: float, bottom: float) -> None:
    canvas.line(left, HEIGHT - top, left, HEIGHT - bottom)


def test_rows_without_lines_between_them_are_named_by_the_head_above_the_line(tmp_path):
    canvas = Canvas(str(tmp_path / "a.pdf"), pagesize=(600, HEIGHT))
    write_rows(canvas, BERRIES, top=112)
    for height in (100, 116, 172):
        across(canvas, height)
    for left in (95, 215, 335, 450):
        up(canvas, left, 100, 172)
    lines = lines_of(canvas, tmp_path / "a.pdf")
    assert lines[0] == "Berry | Month | Price"
    assert "Berry: Gooseberry | Month: June | Price: 3.10" in lines
    assert lines[4] == "Berry: Elder | Month: September | Price: 1.90"


def test_a_table_with_open_sides_keeps_its_outer_columns_and_the_second_line_of_a_name(tmp_path):
    canvas = Canvas(str(tmp_path / "a.pdf"), pagesize=(600, HEIGHT))
    write_rows(canvas, BERRIES[:3], top=112)
    canvas.drawString(108, HEIGHT - 154, "of the north")  # set in below the gooseberry
    write_rows(canvas, BERRIES[3:], top=168)
    for height in (100, 116, 186):
        across(canvas, height)
    for left in (215, 335):
        up(canvas, left, 100, 186)
    lines = lines_of(canvas, tmp_path / "a.pdf")
    assert "Berry: Gooseberry of the north | Month: June | Price: 3.10" in lines
    assert "Berry: Raspberry | Month: August | Price: 4.75" in lines


def test_a_head_that_spans_columns_names_each_of_them(tmp_path):
    canvas = Canvas(str(tmp_path / "a.pdf"), pagesize=(600, HEIGHT))
    canvas.drawString(250, HEIGHT - 112, "Sold in 2024")
    write_rows(canvas, [("Berry", "Fresh", "Frozen"), *BERRIES[1:]], top=128)
    across(canvas, 100)
    across(canvas, 117, 215, 450)
    for height in (133, 190):
        across(canvas, height)
    up(canvas, 335, 117, 190)
    for left in (95, 215, 450):
        up(canvas, left, 100, 190)
    lines = lines_of(canvas, tmp_path / "a.pdf")
    assert "Berry: Currant | Sold in 2024 Fresh: July | Sold in 2024 Frozen: 2.40" in lines


def test_columns_of_prose_with_a_line_between_them_are_no_table(tmp_path):
    canvas = Canvas(str(tmp_path / "a.pdf"), pagesize=(600, HEIGHT))
    prose = [
        ("The harbour was closed for the", "Nobody asked the captain why he"),
        ("whole of that winter, and ships", "had come so early, and he went"),
        ("that came had to wait outside", "home without a word to his crew"),
        ("until the ice was thin enough", "who waited for him at the gate"),
        ("for their bows to break it up.", "until the lamps were put out."),
    ]
    write_rows(canvas, prose, top=112, lefts=(100, 285))
    for height in (100, 186):
        across(canvas, height)
    for left in (95, 280, 465):
        up(canvas, left, 100, 186)
    assert not any(" | " in line for line in lines_of(canvas, tmp_path / "a.pdf"))


def test_boxes_of_a_drawing_are_no_table(tmp_path):
    canvas = Canvas(str(tmp_path / "a.pdf"), pagesize=(600, HEIGHT))
    canvas.drawString(95, HEIGHT - 60, "What a job goes through before it is done, and where it may have to wait.")
    canvas.drawString(
        95, HEIGHT - 190, "Nobody but the person who began a job may stop it, and it cannot be begun again."
    )
    write_rows(canvas, [("Start", "Wait", "Ask"), ("Again", "Work", "Check"), ("Hold", "Pass", "Stop")], top=112)
    for left, top, bottom in ((95, 100, 146), (215, 100, 114), (335, 132, 146), (450, 100, 146)):
        up(canvas, left, top, bottom)
    for height in (100, 146):
        across(canvas, height)
    assert not any(" | " in line for line in lines_of(canvas, tmp_path / "a.pdf"))


def test_a_word_inside_two_frames_stands_in_one_table_alone(tmp_path):
    canvas = Canvas(str(tmp_path / "nested.pdf"), pagesize=(600, HEIGHT))
    for at in range(12):
        top = 120 + 15 * at
        is_inner = 4 <= at < 8
        canvas.drawString(120, HEIGHT - top, f"Row{at}")
        canvas.drawString(370 if is_inner else 360, HEIGHT - top, f"v{at}")
        if is_inner:
            canvas.drawString(500, HEIGHT - top, f"w{at}")
    for left in (110, 350, 590):
        up(canvas, left, 105, 305)
    for left in (362, 480, 585):
        up(canvas, left, 168, 232)
    words = " ".join(lines_of(canvas, tmp_path / "nested.pdf")).replace("|", " ").split()
    assert sorted(word for word in words if word[0] in "vw" and word[-1] != ":") == sorted(
        [f"v{at}" for at in range(12)] + [f"w{at}" for at in range(4, 8)]
    )
