from __future__ import annotations

from knowledge.readers.text_lines import TextLines


def test_length_is_where_the_next_line_begins() -> None:
    lines = TextLines()
    lines.append("First")
    lines.append("")
    start = lines.length
    lines.append("Third")
    assert lines.text()[start:] == "Third"


def test_blank_lines_are_not_doubled_and_stand_neither_first_nor_last() -> None:
    lines = TextLines()
    lines.append_blank_line()
    lines.append("First")
    lines.append_blank_line()
    lines.append_blank_line()
    lines.append("Second")
    lines.append_blank_line()
    assert lines.text() == "First\n\nSecond"
