"""The text of one PDF page, character by character from PDFium, with the box of each word.

PDFium's own "get text" call cuts characters to 16 bits (mathematical letters turn into Hangul), so the text is
put together from its single characters. That costs a millisecond a page and makes offsets exact.
"""

from __future__ import annotations

import ctypes
import re
import sys
from bisect import bisect_right
from itertools import accumulate, repeat
from typing import Any

import pypdfium2.raw as pdfium

from knowledge.readers.pdf.page_layout import PageBox, PageFrame, PageLayout, PlacedWord
from knowledge.readers.pdf.page_objects import PageObjects

# Stands for a character that must not be read; never a character of a page.
_DROPPED_CHARACTER = "\x00"
# PDFium marks a hyphen at the end of a line as U+0002: the word goes on in the next line.
_LINE_END_HYPHEN = "\x02"

_REMOVED_SPAN = re.compile(
    f"{_LINE_END_HYPHEN}[\r\n]{{0,4}}|\r(?=\n)"
    "|[\x00\x01\x03-\x08\x0b-\x0c\x0e-\x1f\x7f\u00ad\ud800-\udfff\ufeff\ufffe\uffff\U000e0000-\U000e007f]"
)
_WORD_RUN = re.compile("[^\\s\x00-\x1f\x7f\u00ad\ud800-\udfff\ufeff\ufffe\uffff\U000e0000-\U000e007f]+")


def read_layout(textpage: Any, *, objects: PageObjects, frame: PageFrame) -> PageLayout:
    """What a reader sees on the page: hidden characters left out, hyphenated words joined."""
    raw = _raw_characters(textpage)
    if objects.hidden:
        raw = _without_hidden(raw, textpage, objects.hidden)
    removed = [match.span() for match in _REMOVED_SPAN.finditer(raw)]
    offset = _OffsetMap(removed)
    boxes = _WordBoxes(textpage, frame)
    words = []
    for first, end in [match.span() for match in _WORD_RUN.finditer(raw)]:
        start = offset(first)
        words.append(PlacedWord(start, start + end - first, *boxes.between(first, end), first))  # a word lacks nothing
    return PageLayout(text=_REMOVED_SPAN.sub("", raw).replace("\r", "\n"), words=words)


def _raw_characters(textpage: Any) -> str:
    """One character for each of PDFium's, so that an index into the text is an index into the page."""
    codes = list(map(pdfium.FPDFText_GetUnicode, repeat(textpage.raw), range(textpage.count_chars())))
    if max(codes, default=0) <= sys.maxunicode:
        return "".join(map(chr, codes))
    return "".join([chr(code) if code <= sys.maxunicode else _DROPPED_CHARACTER for code in codes])


def _without_hidden(raw: str, textpage: Any, hidden: frozenset[int]) -> str:
    get, handle, seen = pdfium.FPDFText_GetTextObject, textpage.raw, []
    for index, character in enumerate(raw):
        owner = ctypes.cast(get(handle, index), ctypes.c_void_p).value
        seen.append(_DROPPED_CHARACTER if owner in hidden else character)
    return "".join(seen)


class _OffsetMap:
    """Turns an index into the raw text into an offset of the text without the removed spans."""

    def __init__(self, removed: list[tuple[int, int]]) -> None:
        self._ends = [end for _, end in removed]
        self._lengths = [0, *accumulate(end - start for start, end in removed)]

    def __call__(self, index: int) -> int:
        return index - self._lengths[bisect_right(self._ends, index)]


class _WordBoxes:
    """Boxes of words: a word is as wide as from its first character to its last."""

    def __init__(self, textpage: Any, frame: PageFrame) -> None:
        self._handle = textpage.raw
        self._frame = frame
        self._rect = pdfium.FS_RECTF()
        self._reference = ctypes.byref(self._rect)

    def between(self, start: int, end: int) -> tuple[PageBox | None, float]:
        """The box of the characters from `start` to before `end`, and the height of the first."""
        # The loose box has the height of the font, which is what a highlighter wants.
        get, rect = pdfium.FPDFText_GetLooseCharBox, self._rect
        if not get(self._handle, start, self._reference):
            return None, 0.0
        left, bottom, right, top = rect.left, rect.bottom, rect.right, rect.top
        size = top - bottom
        if end - start > 1 and get(self._handle, end - 1, self._reference):
            left, bottom = min(left, rect.left), min(bottom, rect.bottom)
            right, top = max(right, rect.right), max(top, rect.top)
        return self._frame.to_shown_box(left, bottom, right, top), size
