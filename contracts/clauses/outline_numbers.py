"""The numbers that count the clauses of a contract. A line may also begin with a price, a date or the name of a person
("12.50 EUR …", "1. May …", "B. Smith …"), so one with points, or a letter, has to go on from those before it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from contracts.clauses.numbering import read_number
from trees.quantities import find_unit

# What may stand before a number: a list, a heading, a quotation, bold print.
_MARKS = re.compile(r"[\s#*>_-]{0,12}")
_ONLY_NUMBER = re.compile(r"(?P<number>\d{1,3}(?:\.\d{1,3}){0,5}|[IVXLC]{1,7})[.)]\s{0,9}")
_NEXT_WORD = re.compile(r"[^\W\d_]{1,20}")
_AMOUNTS = "thousand million millions billion billions mio mrd per chf francs cny cad aud nzd sek nok dkk pln czk huf"
_MONTHS = """
    january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec
"""
_AMOUNT_WORDS, _MONTH_WORDS = frozenset(_AMOUNTS.split()), frozenset(_MONTHS.split())
_MIN_UNIT_LENGTH = 3  # “In this Agreement” speaks of no inch
# How many numbers may be missing within a section: reserved, or in front of a text that opens no clause.
_MAX_GAP = 2
_ROMAN_DIGITS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}

_Path = tuple[int, ...]


class OutlineNumbers:
    """Reads the blocks of a contract in their order, and remembers how far the outline has come."""

    def __init__(self) -> None:
        self._reached: dict[str, _Path] = {}  # by the style of the number
        self._last: _Path = ()
        self._may_restart = False  # between a division ("Schedule 2") and the first number within it

    def length(self, block: str) -> int:
        """How many characters the number takes that this block opens with, and the marks around it; 0 where it opens
        with none of the outline."""
        marks = _MARKS.match(block)
        begin = marks.end() if marks else 0
        alone = _ONLY_NUMBER.fullmatch(block, begin)
        number, end = (alone["number"], len(block)) if alone else read_number(block, begin)
        if not number or _is_amount_or_date(number, block[end:]):
            return 0
        readings = [one for one in _number_readings(number) if self._goes_on(*one, is_alone=alone is not None)]
        is_division = " " in number
        self._may_restart = is_division or (self._may_restart and not readings)
        for style, path in readings:
            self._reached[style] = self._last = path
        return end if readings else 0

    def _goes_on(self, style: str, path: _Path, *, is_alone: bool) -> bool:
        before = self._reached.get(style)
        if style == "1" and len(path) == 1 and not is_alone:
            return True  # an amount has no full stop before its unit
        if (before is None or self._may_restart) and set(path) == {1}:
            return True
        return _is_first_below(self._last, path) or (before is not None and _is_next(before, path))


def _is_first_below(upper: _Path, path: _Path) -> bool:
    """1.1 or 1.1.1 below 1; 1.2 as well, where 1.1 opens no clause."""
    if not upper or path[: len(upper)] != upper:
        return False
    below = path[len(upper) :]
    return set(below) == {1} or (len(below) == 1 and 1 < below[0] <= 1 + _MAX_GAP)


def _is_next(before: _Path, path: _Path) -> bool:
    """1.3, 2 or 2.1 behind 1.2; within section 1 also 1.4 and 1.5."""
    for kept in range(min(len(before), len(path))):
        if path[:kept] == before[:kept] and 0 < path[kept] - before[kept] <= 1 + _MAX_GAP * (kept > 0):
            return set(path[kept + 1 :]) <= {1}
    return False


def _is_amount_or_date(number: str, behind: str) -> bool:
    found = _NEXT_WORD.match(behind)
    word = found.group() if found else ""
    if "." not in number:
        return word.lower() in _MONTH_WORDS
    return word.lower() in _AMOUNT_WORDS or (len(word) >= _MIN_UNIT_LENGTH and find_unit(word) is not None)


def _number_readings(number: str) -> Iterator[tuple[str, _Path]]:
    """What the number may count, by style: “Section 4.2” and “4.2” are two of them, and C is a letter or a hundred."""
    division, _, counted = number.rpartition(" ")
    if counted[0].isdigit():
        yield f"{division.lower()}1", tuple(int(part) for part in counted.split("."))
        return
    if len(counted) == 1:
        yield f"{division.lower()}A", (ord(counted) - ord("A") + 1,)
    if set(counted) <= _ROMAN_DIGITS.keys():
        yield f"{division.lower()}I", (_roman_value(counted),)


def _roman_value(digits: Iterable[str]) -> int:
    value, least = 0, 0
    for each in reversed([_ROMAN_DIGITS[digit] for digit in digits]):
        value += each if each >= least else -each
        least = max(least, each)
    return value
