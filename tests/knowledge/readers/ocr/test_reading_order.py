from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from knowledge.readers.ocr.reading_order import PlacedItem, reading_rows
from knowledge.readers.ocr.recognised_page import RecognisedLine, RecognisedPage, RecognisedWord, levelled


def item(index: int, x0: float, top: float, x1: float, *, characters: int = 40) -> PlacedItem:
    return PlacedItem((x0, top, x1, top + 10), characters, index)


def order(items: list[PlacedItem]) -> list[list[int]]:
    return [[one.line for one in row] for row in reading_rows(items)]


def test_columns_of_text_are_read_one_after_another_below_their_title():
    title = item(0, 50, 0, 550)
    left = [item(1 + at, 50, 30 + 14 * at, 290) for at in range(6)]
    right = [item(7 + at, 310, 30 + 14 * at, 548) for at in range(6)]
    assert order([*right, title, *left]) == [[at] for at in range(13)]


def test_a_title_between_columns_ends_those_above():
    upper = [item(at, 50, 14 * at, 290) for at in range(4)] + [item(4 + at, 310, 14 * at, 548) for at in range(4)]
    title = item(8, 50, 70, 550)
    lower = [item(9 + at, 50, 100 + 14 * at, 290) for at in range(4)]
    lower += [item(13 + at, 310, 100 + 14 * at, 548) for at in range(4)]
    assert order([*lower, title, *upper]) == [[at] for at in range(17)]


def test_rows_of_a_table_stay_rows():
    cells = [
        item(3 * row + at, 50 + 180 * at, 14 * row, 110 + 180 * at, characters=6) for row in range(6) for at in range(3)
    ]
    assert order(cells) == [[3 * row, 3 * row + 1, 3 * row + 2] for row in range(6)]


@given(st.lists(st.tuples(*[st.floats(0, 1000)] * 3), max_size=40))
def test_whatever_stands_where_everything_is_read_once(places):
    items = [item(at, x, y, x + width) for at, (x, y, width) in enumerate(places)]
    assert sorted(at for row in order(items) for at in row) == list(range(len(items)))


def test_the_skew_of_a_page_is_found_and_taken_out():
    angle = math.radians(2)
    cosine, sine = math.cos(angle), math.sin(angle)

    def turned(x: float, y: float) -> tuple[float, float]:
        return x * cosine - y * sine, x * sine + y * cosine

    lines = []
    for top in range(100, 400, 20):
        corners = turned(50, top), turned(500, top), turned(500, top + 12), turned(50, top + 12)
        lines.append(RecognisedLine([RecognisedWord("word", 1.0, corners)], corners))
    page = RecognisedPage(width=600, height=800, lines=lines)
    assert math.isclose(page.skew(), angle, abs_tol=1e-6)
    x0, top, x1, bottom = levelled(lines[0].corners, page.skew())
    assert [round(side, 3) for side in (x0, top, x1, bottom)] == [50, 100, 500, 112]


def test_boxes_of_a_page_that_was_turned_lie_on_the_page_as_it_came():
    corners = (10.0, 20.0), (40.0, 20.0), (40.0, 30.0), (10.0, 30.0)
    boxes = [RecognisedPage(width=100, height=200, quarter_turns=turns).to_picture(corners) for turns in range(4)]
    assert boxes == [(10, 20, 40, 30), (170, 10, 180, 40), (60, 170, 90, 180), (20, 60, 30, 90)]
