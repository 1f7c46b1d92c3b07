from __future__ import annotations

import pytest

from knowledge.code_location import FilePlace, lines_of_span


@pytest.mark.parametrize(
    ("span", "lines"), [((0, 1), (1, 1)), ((0, 2), (1, 1)), ((2, 3), (2, 2)), ((0, 3), (1, 2)), ((4, 6), (3, 4))]
)
def test_lines_count_from_one_and_a_line_end_belongs_to_its_line(span: tuple[int, int], lines: tuple[int, int]) -> None:
    assert lines_of_span("a\nb\n\nc\n", *span) == lines


def test_without_git_there_is_no_commit() -> None:
    place = FilePlace(path="a.py", start_line=3, end_line=9, file_hash="f" * 64)
    assert place.as_json() == {"path": "a.py", "startLine": 3, "endLine": 9, "fileHash": "f" * 64}
    assert place.lines == "lines 3–9"
