from __future__ import annotations

import pytest

from knowledge.documents.metadata_columns import is_title_of_file, title_from_file_name


@pytest.mark.parametrize(
    ("file_name", "title"),
    [
        ("hive_inspection-v2.pdf", "Hive inspection v2"),
        ("OPENING times_v2-final.txt", "OPENING times v2"),
        ("report - final.pdf", "Report"),
        ("2024-05-01_notes final.md", "2024-05-01 notes"),
        ("Report (1).pdf", "Report"),
        ("Well-being at work.docx", "Well-being at work"),
        ("The semi-final.txt", "The semi-final"),
        ("Copy of x_y.txt", "X y"),
    ],
)
def test_a_title_is_the_file_name_in_words(file_name: str, title: str) -> None:
    assert title_from_file_name(file_name) == title
    assert is_title_of_file(title, file_name)


def test_a_title_that_somebody_typed_is_not_that_of_the_file() -> None:
    assert not is_title_of_file("Opening times", "OPENING times_v2-final.txt")
