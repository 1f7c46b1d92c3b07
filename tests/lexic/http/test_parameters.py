from __future__ import annotations

import pytest
from django.test import RequestFactory

from lexic.http.parameters import get_page, parse_natural, single_line


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("42", 42),
        ("007", 7),
        ("", None),
        ("-1", None),
        ("1.5", None),
        ("1234", None),
        ("٣", None),
        ("²", None),
    ],
)
def test_only_a_few_plain_digits_are_a_number(text, number):
    assert parse_natural(text, max_digits=3) == number


def test_words_come_on_one_line_without_null_characters_and_cut_to_their_limit():
    assert single_line("  concrete\x00\n cover\t", max_length=40) == "concrete cover"
    assert single_line("concrete cover", max_length=9) == "concrete"


@pytest.mark.parametrize(
    ("address", "rows"),
    [("/", [1, 2]), ("/?page=2", [3]), ("/?page=9", [3]), ("/?page=x", [1, 2])],
)
def test_a_list_shows_the_page_that_its_address_names_or_the_nearest(address, rows):
    assert list(get_page(RequestFactory().get(address), [1, 2, 3], per_page=2)) == rows
