"""The text of one PDF page, character by character from PDFium, with the box of each word.

PDFium's own "get text" call cuts characters to 16 bits (mathematical letters turn into Hangul), and leaves some out. So
where a page has others than those of Latin text, these are asked for one by one, and on a page of mostly others all.
"""

from __future__ import annotations

import ctypes
import re
import struct
import sys
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, chain, repeat
from typing import Any

import pypdfium2.raw as pdfium

from knowledge.readers.pdf.page_layout import PageBox, PageFrame, PageLayout, PlacedWord
from knowledge.readers.pdf.page_objects import PageObjects

# Stands for a character that must not be read; never a character of a page.
_DROPPED_CHARACTER = "\x00"
# PDFium marks a hyphen at the end of a line as U+0002: the word goes on in the next line.
_LINE_END_HYPHEN = "\x02"

# Not of Latin text: one that was cut to 16 bits may look like any of these, and hardly like any other.
_UNSURE_CHARACTER = re.compile("[^\t\n\r -\u024f\u2010-\u2027\u2030-\u203a\u20ac]")
_WORD_START = re.compile(r"(?<!\S)\S")
# At most one character in so many may be unsure, or it is quicker to ask for all.
_MIN_SURE_SHARE = 4

_RECTANGLE = struct.Struct("4f")  # left, top, right, bottom
_Corners = tuple[float, float, float, float]

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
    spans = [match.span() for match in _WORD_RUN.finditer(raw)]
    words = []
    for (first, end), (box, size) in zip(spans, _word_boxes(textpage, spans, frame), strict=True):
        start = offset(first)
        words.append(PlacedWord(start, start + end - first, box, size, first))  # a word lacks nothing
    return PageLayout(text=_REMOVED_SPAN.sub("", raw).replace("\r", "\n"), words=words)


def _raw_characters(textpage: Any) -> str:
    """One character for each of PDFium's, so that an index into the text is an index into the page."""
    count = textpage.count_chars()
    text = _text_in_16_bits(textpage, count)
    unsure = [match.start() for match in _UNSURE_CHARACTER.finditer(text)]
    if len(text) == count and _MIN_SURE_SHARE * len(unsure) <= count:
        codes = dict(zip(unsure, _codes(textpage, unsure), strict=True))
        starts = [match.start() for match in _WORD_START.finditer(text)]
        if all(chr(code) == text[at] for at, code in zip(starts, _codes(textpage, starts), strict=True)):
            return _with_characters(text, codes)
    return "".join(map(_character, _codes(textpage, range(count))))


def _text_in_16_bits(textpage: Any, count: int) -> str:
    buffer = (ctypes.c_ushort * (count + 1))()
    written = pdfium.FPDFText_GetText(textpage.raw, 0, count, buffer) if count > 0 else 1
    return bytes(buffer)[: 2 * (written - 1)].decode("utf-16-le", "surrogatepass")


def _codes(textpage: Any, indexes: Sequence[int]) -> list[int]:
    return list(map(pdfium.FPDFText_GetUnicode, repeat(textpage.raw), indexes))


def _character(code: int) -> str:
    return chr(code) if code <= sys.maxunicode else _DROPPED_CHARACTER


def _with_characters(text: str, codes: dict[int, int]) -> str:
    if not codes:
        return text
    characters = list(text)
    for at, code in codes.items():
        characters[at] = _character(code)
    return "".join(characters)


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


def _word_boxes(
    textpage: Any, spans: Sequence[tuple[int, int]], frame: PageFrame
) -> list[tuple[PageBox | None, float]]:
    """The box of each word, as wide as from its first character to its last, and the height of the first.

    The loose box has the height of the font, which is what a highlighter wants.
    """
    ends = list(chain.from_iterable((start, end - 1) for start, end in spans))
    rectangles = (pdfium.FS_RECTF * len(ends))()
    if not ends:
        return []
    places = map(ctypes.byref, repeat(rectangles[0]), range(0, ctypes.sizeof(rectangles), _RECTANGLE.size))
    known = list(map(pdfium.FPDFText_GetLooseCharBox, repeat(textpage.raw), ends, places))
    corners = list(_RECTANGLE.iter_unpack(rectangles))
    return [
        _word_box(first, last if has_last else first, frame) if has_first else (None, 0.0)
        for first, last, has_first, has_last in zip(corners[::2], corners[1::2], known[::2], known[1::2], strict=True)
    ]


def _word_box(first: _Corners, last: _Corners, frame: PageFrame) -> tuple[PageBox, float]:
    left, top, right, bottom = first
    other_left, other_top, other_right, other_bottom = last
    box = frame.to_shown_box(
        left if left < other_left else other_left,
        bottom if bottom < other_bottom else other_bottom,
        right if right > other_right else other_right,
        top if top > other_top else other_top,
    )
    return box, top - bottom
