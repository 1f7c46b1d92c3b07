"""A line that ends where its column ended goes on in the next one; everything else stays on its own line."""

from __future__ import annotations

import pytest

from querying.presentation.flowing_text import flowing_parts
from tests.linear_time import grows_linearly

PAGE = """# Cleaning

Rinse the basket after each coffee with hot water. Empty the drip tray when the
red float shows. Let water run through the group, and wipe it dry with the cloth.
Then switch it off.

1. Put a bowl under the group and press the key. The machine lets it through,
   which takes long.
2. Rinse it.
| light | meaning |
| green | ready |"""


def _shown(text: str) -> str:
    return "".join(flowing_parts(text, 0, 0))


def test_only_a_break_that_wraps_is_left_out() -> None:
    assert _shown(PAGE).split("\n") == [
        "# Cleaning",
        "",
        "Rinse the basket after each coffee with hot water. Empty the drip tray when the red float shows. Let water "
        "run through the group, and wipe it dry with the cloth.",
        "Then switch it off.",
        "",
        "1. Put a bowl under the group and press the key. The machine lets it through, which takes long.",
        "2. Rinse it.",
        "| light | meaning |",
        "| green | ready |",
    ]


@pytest.mark.parametrize(
    "words", ["the\nred float", "Let water run", "through,\n   which takes", "   which", "# Cleaning"]
)
def test_the_cited_words_are_the_same_ones(words: str) -> None:
    start = PAGE.index(words)
    before, cited, after = flowing_parts(PAGE, start, start + len(words))
    assert cited.split() == words.split()
    assert (before + cited + after).split() == PAGE.split()


@pytest.mark.parametrize("span", [(0, 0), (5, 2), (10_000, 20_000), (3, 10_000)])
def test_any_span_of_the_address_is_taken(span: tuple[int, int]) -> None:
    assert "".join(flowing_parts(PAGE, *span)).split() == PAGE.split()


@pytest.mark.parametrize(
    "text",
    [
        "(a) pay the rent within ten days of each quarter;\n(b) keep the place clean, and the stairs too\n(c) leave",
        "9.1 The tenant pays for all small repairs of the flat\n9.2 The owner pays for the roof and for the walls",
        "Monday to Friday      08:00 to 18:00 in the summer\nSaturday and Sunday   closed, except on the first one",
        "Of the tenant ............................ 12\nOf the owner ............................. 15",
    ],
)
def test_numbered_clauses_columns_and_contents_keep_their_lines(text: str) -> None:
    assert _shown(text) == text


def test_short_lines_stay_as_they_are() -> None:
    poem = "rose\nlily\nthis one is a longer line than the others are"
    assert _shown(poem) == poem


def test_a_long_page_takes_time_in_proportion() -> None:
    assert grows_linearly(_shown, "a line of the page that goes on\nin the next one ", scale=20)
