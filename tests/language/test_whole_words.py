"""Whether a phrase stands in a text as whole words and numbers."""

from __future__ import annotations

import pytest

from language.whole_words import has_whole_words


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("4.00", "an adult pays 4.00 €"),
        ("4.00", "14.00 €, and 4.00 for children."),
        ("4.00", "it costs €4.00."),
        ("45", "45mm"),
        ("mm", "45mm"),
        ("s3", "boots (s3) are worn"),
        ("-5 mm", "by -5 mm at most"),
        ("45 mm.", "it is 45 mm."),
        ("no", "there is no-one"),
        ("安全帽", "必须戴安全帽进入"),
        ("หมวก", "สวมหมวกนิรภัย"),
        ("헬멧", "헬멧을 씁니다"),
        ("خوذة", "الخوذة"),
    ],
)
def test_a_phrase_is_found_as_whole_words(phrase: str, text: str) -> None:
    assert has_whole_words(phrase, text)


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("4.00", "14.00 €"),
        ("4.00", "1,4.00"),
        ("4.00", "4.005"),
        ("4", "4.00"),
        ("00", "4.00"),
        ("3", "s3"),
        ("s3", "s30"),
        ("s", "s3"),
        ("no", "not"),
        ("no", "piano"),
        ("да", "вода"),
        ("4.00", ""),
    ],
)
def test_a_part_of_a_word_or_a_number_is_not(phrase: str, text: str) -> None:
    assert not has_whole_words(phrase, text)
