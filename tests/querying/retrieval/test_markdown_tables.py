from __future__ import annotations

from language.sentences import sentence_spans
from querying.retrieval.markdown_tables import read_layout

TABLE = "Terms.\n\n| Days | Refund |\n| --- | --- |\n| 7–14 | 50 % |\n| 15 | |\n\nMore.\n\n| not | a header |\n"


def test_rows_are_read_with_the_header_above_them() -> None:
    spans = sentence_spans(TABLE)
    layout = read_layout(TABLE, spans)
    assert [layout.row_text(TABLE, span) for span in layout.headers] == ["Days: 7–14 | Refund: 50 %", "Days: 15"]
    assert [TABLE[slice(*span)] for span in sorted(layout.labels)] == ["| Days | Refund |", "| --- | --- |"]
    assert layout.row_text(TABLE, spans[0]) == "Terms."


def test_rows_without_a_header_stand_as_they_are() -> None:
    text = "| a | b |\n| c | d |\n"
    layout = read_layout(text, sentence_spans(text))
    assert not layout.headers
    assert not layout.labels


def test_a_row_with_other_cells_than_its_header_stands_as_it_is() -> None:
    text = "| a | b |\n| --- | --- |\n| c | d | e |\n"
    spans = sentence_spans(text)
    assert read_layout(text, spans).row_text(text, spans[-1]) == "| c | d | e |"
