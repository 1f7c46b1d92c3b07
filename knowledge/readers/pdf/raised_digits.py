"""Raised digits of a PDF page, which its text does not tell from the others: 10⁶ reads as 106 there.

Only words that end with a smaller digit than they begin with, and the few that may have one before a mark, are looked
at letter by letter; most pages have none.
"""

from __future__ import annotations

import ctypes
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Any

from knowledge.readers.pdf.pdfium_calls import get_letter_origin, get_loose_box
from knowledge.readers.superscripts import REACH, raised_text

# In heights of the letter before: how small a raised digit is at most, and how much higher it stands.
_MAX_SIZE, _MIN_RISE, _MAX_RISE = 0.85, 0.15, 0.8
_MIN_WHITE = 0.1
# “m3,” and “106,” may have a raised digit before the mark.
_BEFORE_MARK = re.compile(r"[0-9](?=[^\w\s][^0-9])")
_MAY_END_RAISED = re.compile(r"(?:[^\W\d_]|\b10[-−–]?)[0-9]{1,2}$")
_MAX_BEFORE_MARK = 6
_DIGITS = frozenset("0123456789")
_Span = tuple[int, int]
# Left, top, right and bottom.
_Corners = tuple[float, float, float, float]
# Stands for a character that must not be read.
_DROPPED = "\x00"


def with_raised_digits(
    textpage: Any, raw: str, words: Sequence[_Span], firsts: Sequence[_Corners], lasts: Sequence[_Corners]
) -> str:
    """The characters of a page, as many as before, with exponents as such and without marks of notes. `firsts` and
    `lasts` are the corners of the first and of the last letter of each word."""
    candidates = _candidates(raw, words, firsts, lasts)
    if not candidates:
        return raw
    letters, characters = _Letters(textpage), list(raw)
    for start, end in (run for at in candidates for run in _raised_runs(letters, words[at])):
        raised = raw[start:end]
        text = raised_text(raised, raw[max(0, start - REACH) : start])
        if text != raised:
            characters[start:end] = text or _DROPPED * len(raised)
            if raw[end : end + 2] == "\r\n" and letters.are_on_line(raw, start - 1, end + 2):
                characters[end : end + 2] = (" " if letters.are_apart(end - 1, end + 2) else _DROPPED) + _DROPPED
    return "".join(characters)


def _candidates(
    raw: str, words: Sequence[_Span], firsts: Sequence[_Corners], lasts: Sequence[_Corners]
) -> Sequence[int]:
    """Which words may have raised digits."""
    with_digits = [at for at, (_, end) in enumerate(words) if raw[end - 1] in _DIGITS]
    smaller = [at for at in with_digits if lasts[at][1] - lasts[at][3] < _MAX_SIZE * (firsts[at][1] - firsts[at][3])]
    ends = [found.end() for found in _BEFORE_MARK.finditer(raw)]
    ends = [end for end in ends if _MAY_END_RAISED.search(raw[max(0, end - _MAX_BEFORE_MARK) : end])]
    starts = [start for start, _ in words] if ends else []
    smaller += [bisect_right(starts, end - 1) - 1 for end in ends]
    return sorted(set(smaller))


def _raised_runs(letters: _Letters, word: _Span) -> Iterator[_Span]:
    base, start = word[0], None
    for at in range(word[0] + 1, word[1]):
        if letters.is_raised(at, base):
            start = at if start is None else start
        else:
            if start is not None:
                yield start, at
            base, start = at, None
    if start is not None:
        yield start, word[1]


class _Letters:
    """Asks PDFium for one letter after another; what it writes to is made once."""

    def __init__(self, textpage: Any) -> None:
        self._raw = textpage.raw
        self._corners = (ctypes.c_float * 4)()
        self._origin = (ctypes.c_double * 2)()

    def is_raised(self, at: int, base: int) -> bool:
        """Whether the letter is smaller than the one at `base`, stands higher, and behind it."""
        height, base_height = self._height(at), self._height(base)
        if not 0 < height < _MAX_SIZE * base_height:
            return False
        (x, y), (base_x, base_y) = self._place(at), self._place(base)
        return x > base_x and _MIN_RISE * base_height < y - base_y < _MAX_RISE * base_height

    def are_on_line(self, raw: str, base: int, after: int) -> bool:
        """Whether the text behind a break stands on the line of `base`: a raised digit makes PDFium begin a new one."""
        at = next((at for at in range(after, min(after + 3, len(raw))) if not raw[at].isspace()), None)
        if at is None:
            return False
        (x, y), (base_x, base_y) = self._place(at), self._place(base)
        return x > base_x and abs(y - base_y) < _MIN_RISE * self._height(base)

    def are_apart(self, before: int, after: int) -> bool:
        """Whether there is white between both."""
        height, right = self._height(before), self._corners[2]
        return self._height(after) > 0 and self._corners[0] - right > _MIN_WHITE * height

    def _height(self, at: int) -> float:
        known = get_loose_box(self._raw, at, ctypes.byref(self._corners))
        return self._corners[1] - self._corners[3] if known else 0.0

    def _place(self, at: int) -> tuple[float, float]:
        places = [ctypes.byref(self._origin, offset) for offset in (0, 8)]
        return (self._origin[0], self._origin[1]) if get_letter_origin(self._raw, at, *places) else (0.0, 0.0)
