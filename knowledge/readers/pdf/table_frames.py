"""Lines of a page that belong to one table, also where its sides or its rows have none.

Lines up and down go together where a line across touches them all, or where they begin and end at the same heights.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from knowledge.readers.pdf.page_layout import PageBox
from knowledge.readers.pdf.ruling_lines import SAME_LINE, Rule

# In points: the least height of a line between columns.
_MIN_HEIGHT = 9.0
# A line across parts rows where it is at least so much of the table's width.
_WIDE_SHARE = 0.8
# More lines than this, or frames, draw a picture.
_MAX_LINES, _MAX_FRAMES = 600, 60


@dataclass(frozen=True)
class Frame:
    """The lines of one table: those up and down, and those across."""

    up: Sequence[Rule]
    across: Sequence[Rule]

    @cached_property
    def box(self) -> PageBox:
        rules = [*self.up, *self.across]
        return (
            min(rule.x0 for rule in rules),
            min(rule.top for rule in rules),
            max(rule.x1 for rule in rules),
            max(rule.bottom for rule in rules),
        )

    @cached_property
    def _edges_by_height(self) -> dict[float, Sequence[float]]:
        return {}  # each line of words is asked about several times

    @cached_property
    def edges(self) -> Sequence[float]:
        """Where its columns begin, and where the last one ends."""
        x0, _, x1, _ = self.box
        return _apart([x0, *(rule.x0 for rule in self.up), x1])

    def edges_at(self, height: float) -> Sequence[float]:
        """The edges that are drawn at a height, and the outer ones."""
        if height not in self._edges_by_height:
            x0, _, x1, _ = self.box
            drawn = [rule.x0 for rule in self.up if rule.top <= height <= rule.bottom]
            self._edges_by_height[height] = _apart([x0, *drawn, x1])
        return self._edges_by_height[height]

    def row_edges(self) -> list[float]:
        """The heights at which a line goes across the table, with its top and its bottom."""
        x0, top, x1, bottom = self.box
        heights = _apart([rule.top for rule in self.across])
        wide = [height for height in heights if self._covered(height) >= _WIDE_SHARE * (x1 - x0)]
        return _apart([top, *wide, bottom])

    def _covered(self, height: float) -> float:
        return sum(rule.x1 - rule.x0 for rule in self.across if abs(rule.top - height) <= SAME_LINE)


def find_frames(rules: Sequence[Rule]) -> list[Frame]:
    """The frames with at least one line between two columns, from the top."""
    up = [rule for rule in joined_rules(rules, is_up=True) if rule.bottom - rule.top >= _MIN_HEIGHT]
    across = joined_rules(rules, is_up=False)
    if not up or len(up) + len(across) > _MAX_LINES:
        return []
    groups = _linked(up, across)
    if len(groups) > _MAX_FRAMES:
        return []
    frames = [Frame(group, [rule for rule in across if any(_touch(one, rule) for one in group)]) for group in groups]
    return sorted((frame for frame in frames if len(frame.edges) > 2), key=lambda frame: frame.box[1])


def _linked(up: Sequence[Rule], across: Sequence[Rule]) -> list[list[Rule]]:
    """The lines up and down, in groups."""
    parent = list(range(len(up)))

    def root(at: int) -> int:
        while parent[at] != at:
            at = parent[at]
        return at

    for rule in across:
        touched = [at for at, one in enumerate(up) if _touch(one, rule)]
        for left, right in pairwise(touched):
            parent[root(right)] = root(left)
    for at, one in enumerate(up):
        for other in range(at):
            if abs(one.top - up[other].top) + abs(one.bottom - up[other].bottom) <= SAME_LINE:
                parent[root(at)] = root(other)
    groups: dict[int, list[Rule]] = {}
    for at, one in enumerate(up):
        groups.setdefault(root(at), []).append(one)
    return list(groups.values())


def _touch(up: Rule, across: Rule) -> bool:
    is_beside = across.x0 - SAME_LINE <= up.x0 <= across.x1 + SAME_LINE
    return is_beside and up.top - SAME_LINE <= across.top <= up.bottom + SAME_LINE


def joined_rules(rules: Iterable[Rule], *, is_up: bool) -> list[Rule]:
    """The lines of one direction, those joined that go on where another ends."""
    chosen = [rule for rule in rules if rule.is_up == is_up]
    chosen.sort(key=lambda rule: (rule.x0, rule.top) if is_up else (rule.top, rule.x0))
    found: list[Rule] = []
    level = float("-inf")
    for rule in chosen:
        place = rule.x0 if is_up else rule.top
        if place - level > SAME_LINE:
            level = place
        found.append(
            Rule(level, rule.top, level, rule.bottom, True) if is_up else rule._replace(top=level, bottom=level)
        )
    found.sort(key=lambda rule: (rule.x0, rule.top) if is_up else (rule.top, rule.x0))
    return _end_to_end(found, is_up=is_up)


def _end_to_end(rules: Sequence[Rule], *, is_up: bool) -> list[Rule]:
    found: list[Rule] = []
    for rule in rules:
        last = found[-1] if found else None
        if last and is_up and last.x0 == rule.x0 and rule.top <= last.bottom + SAME_LINE:
            found[-1] = last._replace(bottom=max(last.bottom, rule.bottom))
        elif last and not is_up and last.top == rule.top and rule.x0 <= last.x1 + SAME_LINE:
            found[-1] = last._replace(x1=max(last.x1, rule.x1))
        else:
            found.append(rule)
    return found


def _apart(places: Iterable[float]) -> list[float]:
    """The places from the smallest, without those that are next to the one before."""
    found: list[float] = []
    for place in sorted(places):
        if not found or place - found[-1] > SAME_LINE:
            found.append(place)
    return found
