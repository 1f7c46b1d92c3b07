"""Tables that were typed with bars and hyphens."""

from __future__ import annotations

from reportlab.pdfgen.canvas import Canvas

from tests.knowledge.readers.made import pdf, read_here

BEDS = """
----------------------------------
|WARD       |  Weekdays | Weekend |
|-----------+-----------+---------|
|NAME       |     |     |    |    |
|-----------|     |     |    |    |
|NORTH      |   40|12.5%|   9| 10%|
|-----------+-----+-----+----+----|
|SOUTH      |  280|87.5%|  81| 90%|
|-----------+-----+-----+----+----|
|EAST       |     |     |   3|    |
----------------------------------
----------------------------------
|YEAR       | Beds|Rooms|
|-----------+-----+-----|
|1999       |  310|  120|
|-----------+-----+-----|
|2000       |  320|  121|
-------------------------
""".strip()


def text_of(tmp_path, typed: str) -> tuple[str, dict[str, list[float]]]:
    def page(canvas: Canvas) -> None:
        canvas.setFont("Courier", 10)
        for number, line in enumerate(["Hospital beds", *typed.splitlines(), "Source: the hospital"]):
            canvas.drawString(72, 720 - 12 * number, line)

    _, [read] = read_here(pdf(tmp_path / "a.pdf", page), "pdf")
    return read.text, {read.text[start:end]: box for start, end, *box in read.words or []}


def test_typed_rows_name_each_cell_by_all_the_heads_above_it(tmp_path):
    text, boxes = text_of(tmp_path, BEDS)
    assert text.splitlines() == [
        "Hospital beds",
        "WARD | Weekdays | Weekend",
        "NAME",
        "WARD NAME: NORTH | Weekdays: 40 | Weekdays: 12.5% | Weekend: 9 | Weekend: 10%",
        "WARD NAME: SOUTH | Weekdays: 280 | Weekdays: 87.5% | Weekend: 81 | Weekend: 90%",
        "WARD NAME: EAST | Weekend: 3",
        "YEAR | Beds | Rooms",
        "YEAR: 1999 | Beds: 310 | Rooms: 120",
        "YEAR: 2000 | Beds: 320 | Rooms: 121",
        "Source: the hospital",
    ]
    left, _, right, _ = boxes["12.5%"]  # behind "|     40|", in letters that are six points wide
    assert abs(left - (72 + 6 * 19)) < 3
    assert abs(right - (72 + 6 * 24)) < 3


def test_lines_with_bars_that_are_no_rows_stay_as_they_are(tmp_path):
    text, _ = text_of(tmp_path, "a | b | c\n| x | y |\ncat notes | sort | uniq")
    assert text.splitlines()[1:-1] == ["a | b | c", "| x | y |", "cat notes | sort | uniq"]
