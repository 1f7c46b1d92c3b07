"""A row of a Markdown table is quoted without the bars that draw it."""

from __future__ import annotations

import pytest

from querying.presentation.cited_pages import CitedPages
from querying.presentation.quoted_rows import has_rows, without_bars

ROW = "| green, blinking | the boiler is heating |"
PAGE = f"| light | meaning |\n| --- | :-: |\n{ROW}\n| orange | descaling is due |\n"
CITATION = {"document": "Manual", "excerpt": ROW, "url": "https://a.example/source/7?start=36"}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (ROW, "green, blinking · the boiler is heating"),
        ("| a | | b |", "a · b"),
        ("… b | c |\n| --- |\nSo it is.", "… b · c\nSo it is."),
        ("| a | b and …", "a · b and …"),
        (r"| a \| b | c |", r"a \| b · c"),
        ("Either a | b, said in words.", "Either a | b, said in words."),
        ("No bars at all.\nTwo lines.", "No bars at all.\nTwo lines."),
    ],
)
def test_the_cells_of_a_row_have_dots_between_them(text: str, shown: str) -> None:
    assert without_bars(text) == shown


def _quote(citation: dict[str, object]) -> tuple[str, str, str, bool]:
    start = PAGE.index(ROW)
    cited = {**citation, "start": start, "end": start + len(ROW)}
    quoted = CitedPages(texts={7: PAGE}, readable=[7]).quote(1, cited)
    return quoted.before, quoted.excerpt, quoted.after, quoted.has_rows


def test_a_cited_row_stands_between_its_neighbours_each_on_a_line() -> None:
    rows = ("light · meaning\n", "green, blinking · the boiler is heating", "\norange · descaling is due\n")
    assert _quote(CITATION) == (*rows, True)


def test_in_a_file_of_a_repository_bars_are_part_of_the_code() -> None:
    code = {**CITATION, "path": "README.md", "startLine": 3, "endLine": 3}
    assert _quote(code)[1] == ROW


def test_only_a_line_with_bars_at_its_ends_is_a_row() -> None:
    assert [has_rows(text) for text in ("a\n| b |", "| b and", "a | b", "")] == [True, True, False, False]
