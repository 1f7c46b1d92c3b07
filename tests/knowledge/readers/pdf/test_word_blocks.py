from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.readers.pdf import word_blocks
from knowledge.readers.pdf.page_layout import PlacedWord
from knowledge.readers.pdf.table_head import Columns
from knowledge.readers.pdf.word_blocks import BlockFinder
from knowledge.readers.pdf.word_lines import WordLine

_SIZE = 10.0
_LEFTS = (0.0, 100.0, 200.0, 300.0)


def line(top: float, *stretches: tuple[float, float]) -> WordLine:
    boxes = [(left, top, right, top + _SIZE) for left, right in stretches]
    return WordLine([PlacedWord(at, at + 1, box, _SIZE, at) for at, box in enumerate(boxes)], top, top + _SIZE)


def page(seed: int, count: int) -> list[WordLine]:
    """Lines of two to four columns, some with a word that reaches into the next one, some far from the one above."""
    dice, lines, top = random.Random(seed), [], 0.0
    for _ in range(count):
        lefts = sorted(dice.sample(_LEFTS, dice.choice((1, 2, 3, 4, 4, 4))))
        lines.append(line(top, *((left, left + dice.choice((20, 50, 80, 80, 80, 97))) for left in lefts)))
        top += dice.choice((12, 12, 12, 12, 12, 60))
    return lines


@given(seed=st.integers(0, 10_000), count=st.integers(1, 40), least=st.integers(2, 4))
def test_a_block_is_the_same_whether_or_not_those_above_were_asked_for(seed: int, count: int, least: int):
    lines = page(seed, count)
    finder = BlockFinder(lines)
    for at in range(count):
        assert finder.find(at, least=least) == BlockFinder(lines).find(at, least=least)


@given(seed=st.integers(0, 10_000), order=st.permutations(range(12)))
def test_a_block_is_the_same_in_whatever_order_the_lines_are_asked_for(seed: int, order: list[int]):
    lines = page(seed, len(order))
    finder = BlockFinder(lines)
    for at in order:
        assert finder.find(at, least=2) == BlockFinder(lines).find(at, least=2)


def test_a_block_has_at_most_so_many_lines_from_wherever_it_begins(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(word_blocks, "_MAX_ROWS", 5)
    lines = [line(12.0 * row, (0.0, 50.0), (100.0, 150.0), (200.0, 250.0)) for row in range(9)]
    finder = BlockFinder(lines)
    found = [finder.find(at, least=3) for at in range(7)]
    assert [len(block.lines) for block in found if block] == [5, 5, 5, 5, 5, 4, 3]


def test_most_lines_of_a_long_table_are_joined_once(monkeypatch: pytest.MonkeyPatch):
    joined: list[WordLine] = []
    inner = word_blocks._widened

    def widened(columns: Columns, below: WordLine) -> Columns:
        joined.append(below)
        return inner(columns, below)

    monkeypatch.setattr(word_blocks, "_widened", widened)
    lines = [line(12.0 * row, *((left, left + 50.0 + row % 3) for left in _LEFTS)) for row in range(200)]
    finder = BlockFinder(lines)
    for at in range(len(lines)):
        finder.find(at, least=3)
    assert len(joined) < 4 * len(lines)
