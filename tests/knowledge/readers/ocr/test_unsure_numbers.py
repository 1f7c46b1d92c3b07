from __future__ import annotations

import pytest

from knowledge.readers.ocr.engine import word_scores
from knowledge.readers.ocr.unsure_numbers import unsure_words


@pytest.mark.parametrize(
    ("first", "second", "unsure"),
    [
        ("cover is 45 mm", "cover is 45 mm", set()),
        ("cover is 45 mm", "cover is 46 mm", {2}),
        ("cover is 45 mm", "coverr is 45mm", set()),
        ("12 500 kg", "12500 kg", set()),
        ("1.5 kg", "15 kg", {0}),
        ("1,5 kg", "1.5 kg", {0}),
        ("-5 degrees", "5 degrees", {0}),
        ("50% of it", "50 of it", {0}),
        ("I0 bolts", "10 bolts", {0}),
        ("lO bolts", "10 bolts", {0}),
        ("use bolts", "use 8 bolts", {0}),
        ("use 8 bolts", "use bolts", {1}),
        ("no numbers here", "no nunbers hare", set()),
        ("5 of 7", "", {0, 2}),
    ],
)
def test_numbers_that_two_readings_do_not_agree_on(first, second, unsure):
    assert unsure_words(first.split(), second) == unsure


def test_a_number_is_as_sure_as_its_weakest_sign():
    assert word_scores(["ab", "45"], [0.9, 0.7, 0.9, 0.5]) == [pytest.approx(0.8), 0.5]
    assert word_scores(["ab", "c"], [0.9]) == [0.9, 0.0]
