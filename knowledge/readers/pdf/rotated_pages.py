"""Pages whose text is set sideways, as wide tables are on narrow paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from knowledge.readers.pdf.page_layout import PageBox, PageLayout
from knowledge.readers.pdf.ruling_lines import Rule

# Of the words with a neighbour in their line, those that a turned page must have below or above it.
_MIN_SIDEWAYS_SHARE = 0.9
_DOWN, _UP = "down", "up"


def turned_upright(page: PageLayout, direction: str) -> PageLayout:
    """The page with its words placed as if it were turned so that they can be read, where its lines have a direction
    down or up."""
    if not direction:
        return page
    return replace(page, words=[word._replace(box=word.box and _turned(word.box, direction)) for word in page.words])


def turned_rules(rules: Sequence[Rule], direction: str) -> Sequence[Rule]:
    """The lines of a page, turned as `turned_upright` turns its words."""
    if not direction:
        return rules
    boxes = [_turned((rule.x0, rule.top, rule.x1, rule.bottom), direction) for rule in rules]
    return [Rule(*box, is_up=not rule.is_up) for box, rule in zip(boxes, rules, strict=True)]


def turned_back(page: PageLayout, shown: PageLayout) -> PageLayout:
    """The page with its words where they stand on the page as it is `shown`."""
    boxes = {word.character: word.box for word in shown.words}
    return replace(page, words=[word._replace(box=boxes[word.character]) for word in page.words])


def direction_of(page: PageLayout) -> str:
    """Which way the lines run, if they run down or up the page; empty where they run across."""
    # Most pages are done with as soon as more words stand beside each other than a turned page may have.
    most = sum([len(line.words) for line in page.lines])
    steps: Counter[str] = Counter()
    for left, right in _neighbours(page):
        steps[_step(left, right)] += 1
        if steps[""] > (1 - _MIN_SIDEWAYS_SHARE) * most + 1:
            return ""
    return next((way for way in (_DOWN, _UP) if steps[way] >= _MIN_SIDEWAYS_SHARE * max(1, steps.total())), "")


def _neighbours(page: PageLayout) -> Iterator[tuple[PageBox, PageBox]]:
    for line in page.lines:
        yield from ((left.box, right.box) for left, right in pairwise(line.words) if left.box and right.box)


def _step(left: PageBox, right: PageBox) -> str:
    """Whether a word stands below or above the one before it, and not beside it."""
    if right[0] >= left[2] or left[0] >= right[2]:
        return ""
    return _DOWN if right[1] >= left[3] else _UP if left[1] >= right[3] else ""


def _turned(box: PageBox, direction: str) -> PageBox:
    x0, top, x1, bottom = box
    return (top, -x1, bottom, -x0) if direction == _DOWN else (-bottom, x0, -top, x1)
