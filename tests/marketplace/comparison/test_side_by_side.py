from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from marketplace.comparison.side_by_side import MAX_LINES, MAX_WORDS, LineSegment, Row, compare_texts


def text_of(segments: tuple[LineSegment, ...]) -> str:
    return "".join(segment.text for segment in segments)


def kinds(rows: list[Row]) -> list[str]:
    return [row.kind for row in rows]


def test_the_words_that_differ_are_marked() -> None:
    (row,) = compare_texts("Boots last 24 months.", "Boots last 18 months.")
    assert row.kind == "changed"
    assert [(one.text, one.is_different) for one in row.now] == [
        ("Boots last ", False),
        ("18 ", True),
        ("months.", False),
    ]


def test_lines_that_come_and_go_stand_alone() -> None:
    rows = compare_texts("a\nb", "a\nb\nc")
    assert kinds(rows) == ["same", "same", "new"]
    assert kinds(compare_texts("a\nb\nc", "a\nb")) == ["same", "same", "gone"]


def test_what_is_the_same_far_away_is_left_out() -> None:
    lines = [f"line {n}" for n in range(40)]
    changed = [*lines[:20], "other words", *lines[21:]]
    rows = compare_texts("\n".join(lines), "\n".join(changed))
    assert kinds(rows) == ["skipped", "same", "same", "changed", "same", "same", "skipped"]
    assert [row.skipped for row in rows if row.skipped] == [18, 17]


def test_nothing_is_said_of_equal_texts() -> None:
    assert compare_texts("a\nb", "a\nb") == []


def test_a_long_line_is_compared_as_a_whole_and_a_long_text_is_cut() -> None:
    long = " ".join(str(n) for n in range(MAX_WORDS + 1))
    (row,) = compare_texts(long, long + " more")
    assert [one.is_different for one in row.then] == [True]
    endless = "\n".join("x" for _ in range(MAX_LINES * 3))
    assert compare_texts(endless, endless + "\nnew") == []


@given(st.lists(st.sampled_from(["a", "b c", "d e f", ""]), max_size=12), st.lists(st.text("ab \n", max_size=9)))
def test_no_line_is_lost(old: list[str], new: list[str]) -> None:
    """Both texts can be put together again from the rows, whatever is left out in the middle."""
    then, now = "\n".join(old).splitlines(), "\n".join(new).splitlines()
    rows = compare_texts("\n".join(old), "\n".join(new))
    skipped = sum(row.skipped for row in rows)
    if rows:
        assert sum(row.kind in ("same", "changed", "gone") for row in rows) + skipped == len(then)
        assert sum(row.kind in ("same", "changed", "new") for row in rows) + skipped == len(now)
        assert {text_of(row.now) for row in rows if row.kind in ("same", "changed", "new")} <= set(now)
    else:
        assert then == now
