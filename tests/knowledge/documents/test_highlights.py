from __future__ import annotations

from knowledge.documents.highlights import Rectangle, bounding_rectangle, highlight_rectangles

# "The cover is" on one line, "45 mm" on the next, and a word of another column.
WORDS = [
    [0, 3, 10.0, 100.0, 25.0, 112.0],
    [4, 9, 28.0, 100.0, 53.0, 112.0],
    [10, 12, 56.0, 100.0, 66.0, 112.0],
    [13, 15, 10.0, 114.0, 20.0, 126.0],
    [16, 18, 23.0, 114.0, 35.0, 126.0],
    [19, 25, 300.0, 114.0, 330.0, 126.0],
]


def box(x: float, y: float, right: float, bottom: float) -> Rectangle:
    return Rectangle(x=x, y=y, width=right - x, height=bottom - y)


def test_words_of_a_line_are_one_stroke_and_each_line_has_its_own() -> None:
    assert highlight_rectangles(WORDS, start=4, end=18) == [box(28, 100, 66, 112), box(10, 114, 35, 126)]


def test_a_word_of_another_column_is_a_stroke_of_its_own() -> None:
    assert highlight_rectangles(WORDS, start=16, end=25) == [box(23, 114, 35, 126), box(300, 114, 330, 126)]


def test_a_span_that_ends_inside_a_word_ends_there() -> None:
    assert highlight_rectangles(WORDS, start=5, end=7) == [box(33, 100, 43, 112)]


def test_what_has_no_place_on_the_page_is_not_marked() -> None:
    assert highlight_rectangles(WORDS, start=3, end=4) == []
    assert highlight_rectangles(WORDS, start=4, end=4) == []
    assert highlight_rectangles(None, start=0, end=99) == []
    assert highlight_rectangles([[0, 3, 10.0, 100.0, 10.0, 112.0]], start=0, end=3) == []


def test_around_all_of_them() -> None:
    assert bounding_rectangle(highlight_rectangles(WORDS, start=0, end=25)) == box(10, 100, 330, 126)


def test_a_line_that_lies_askew_is_marked_in_steps_and_not_over_its_neighbours() -> None:
    words = [[6 * at, 6 * at + 5, 60 * at, 100 - 2 * at, 60 * at + 50, 112 - 2 * at] for at in range(8)]
    strokes = highlight_rectangles(words, start=0, end=47)
    assert 1 < len(strokes) < len(words)
    assert all(stroke.height <= 1.5 * 12 for stroke in strokes)
    assert strokes[0].x == 0
    assert strokes[-1].right == 470
