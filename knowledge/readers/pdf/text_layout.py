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
from itertools import accumulate, repeat
from operator import add, sub
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from knowledge.readers.pdf.page_layout import PageBox, PageFrame, PageLayout, PlacedWord
from knowledge.readers.pdf.page_objects import PageObjects
from knowledge.readers.pdf.pdfium_calls import get_loose_box, get_text_object_address, get_unicode
from knowledge.readers.pdf.raised_digits import with_raised_digits

# Stands for a character that must not be read; never a character of a page.
_DROPPED_CHARACTER = "\x00"
# PDFium marks a hyphen at the end of a line as U+0002: the word goes on in the next line.
_LINE_END_HYPHEN = "\x02"

# Not of Latin text: one that was cut to 16 bits may look like any of these, and hardly like any other.
_UNSURE_CHARACTER = re.compile("[^\t\n\r -\u024f\u2010-\u2027\u2030-\u203a\u20ac]")
_WORD = re.compile(r"\S+")
# At most one character in so many may be unsure, or it is quicker to ask for all.
_MIN_SURE_SHARE = 4

_RECTANGLE = struct.Struct("4f")  # left, top, right, bottom
_Corners = tuple[float, float, float, float]

# A hyphen goes with the end of its line, a carriage return before a line feed, the others alone. All begin with one of
# the same characters, which is what `re` is quick to look for.
_REMOVED_SPAN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f\u00ad\ud800-\udfff\ufeff\ufffe\uffff\U000e0000-\U000e007f]"
    f"(?:(?<={_LINE_END_HYPHEN})[\r\n]{{0,4}}|(?<=\r)(?=\n)|(?<![{_LINE_END_HYPHEN}\r]))"
)
_WORD_RUN = re.compile("[^\\s\x00-\x1f\x7f\u00ad\ud800-\udfff\ufeff\ufffe\uffff\U000e0000-\U000e007f]+")


def read_layout(textpage: Any, *, objects: PageObjects, frame: PageFrame) -> PageLayout:
    """What a reader sees on the page: hidden characters left out, hyphenated words joined."""
    raw = _raw_characters(textpage)
    if objects.hidden:
        raw = _without_hidden(raw, textpage, objects.hidden)
    spans = [match.span() for match in _WORD_RUN.finditer(raw)]
    letters = _end_letters(textpage, spans)
    if (written := with_raised_digits(textpage, raw, spans, letters.firsts, letters.lasts)) != raw:
        raw, spans = written, [match.span() for match in _WORD_RUN.finditer(written)]
        letters = _end_letters(textpage, spans)
    removed = [match.span() for match in _REMOVED_SPAN.finditer(raw)]
    if not spans:
        return PageLayout(text=_without(removed, raw), words=[])
    firsts, ends = zip(*spans, strict=True)
    boxes, sizes = _word_boxes(letters, frame)
    starts = _offsets(removed, firsts)
    stops = map(add, starts, map(sub, ends, firsts))  # a word lacks nothing
    words = map(tuple.__new__, repeat(PlacedWord), zip(starts, stops, boxes, sizes, firsts, strict=True))
    return PageLayout(text=_without(removed, raw), words=list(words))


def _without(removed: Sequence[tuple[int, int]], raw: str) -> str:
    kept = zip([0, *(end for _, end in removed)], [*(start for start, _ in removed), len(raw)], strict=True)
    return "".join([raw[start:end] for start, end in kept]).replace("\r", "\n")


def _offsets(removed: Sequence[tuple[int, int]], indexes: Sequence[int]) -> list[int]:
    """Offsets into the text without the removed spans, for indexes into the raw text."""
    ends = [end for _, end in removed]
    lengths = [0, *accumulate(end - start for start, end in removed)]
    before = map(bisect_right, repeat(ends), indexes)
    return list(map(sub, indexes, map(lengths.__getitem__, before)))


def _raw_characters(textpage: Any) -> str:
    """One character for each of PDFium's, so that an index into the text is an index into the page."""
    count = textpage.count_chars()
    text = _text_in_16_bits(textpage, count)
    unsure = [match.start() for match in _UNSURE_CHARACTER.finditer(text)]
    if len(text) == count and _MIN_SURE_SHARE * len(unsure) <= count:
        codes = dict(zip(unsure, _codes(textpage, unsure), strict=True))
        starts = [match.start() for match in _WORD.finditer(text)]
        if _codes(textpage, starts) == list(map(ord, map(text.__getitem__, starts))):
            return _with_characters(text, codes)
    return "".join(map(_character, _codes(textpage, range(count))))


def _text_in_16_bits(textpage: Any, count: int) -> str:
    buffer = (ctypes.c_ushort * (count + 1))()
    written = pdfium.FPDFText_GetText(textpage.raw, 0, count, buffer) if count > 0 else 1
    return bytes(buffer)[: 2 * (written - 1)].decode("utf-16-le", "surrogatepass")


def _codes(textpage: Any, indexes: Sequence[int]) -> list[int]:
    return list(map(get_unicode, repeat(textpage.raw), indexes))


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
    owners = map(get_text_object_address, repeat(textpage.raw), range(len(raw)))
    return "".join(
        [_DROPPED_CHARACTER if owner in hidden else character for character, owner in zip(raw, owners, strict=True)]
    )


class _EndLetters(NamedTuple):
    """The corners of the first and of the last character of each word, and of which of both in turn they are known.

    The loose box has the height of the font, which is what a highlighter wants.
    """

    firsts: Sequence[_Corners]
    lasts: Sequence[_Corners]
    known: Sequence[int]


def _end_letters(textpage: Any, spans: Sequence[tuple[int, int]]) -> _EndLetters:
    ends = [index for start, end in spans for index in (start, end - 1)]
    rectangles = (pdfium.FS_RECTF * len(ends))()
    places = map(ctypes.byref, repeat(rectangles), range(0, ctypes.sizeof(rectangles), _RECTANGLE.size))
    known = list(map(get_loose_box, repeat(textpage.raw), ends, places))
    corners = list(_RECTANGLE.iter_unpack(rectangles))
    return _EndLetters(corners[::2], corners[1::2], known)


def _word_boxes(letters: _EndLetters, frame: PageFrame) -> tuple[list[PageBox | None], list[float]]:
    """The box of each word, as wide as from its first character to its last, and the height of the first."""
    firsts, lasts, known = letters
    sizes = [top - bottom for _, top, _, bottom in firsts]
    if all(known):
        return _boxes(firsts, lasts, frame), sizes
    lasts = [last if is_known else first for first, last, is_known in zip(firsts, lasts, known[1::2], strict=True)]
    boxes = zip(_boxes(firsts, lasts, frame), known[::2], strict=True)
    return [box if is_known else None for box, is_known in boxes], [
        size if is_known else 0.0 for size, is_known in zip(sizes, known[::2], strict=True)
    ]


def _boxes(firsts: Sequence[_Corners], lasts: Sequence[_Corners], frame: PageFrame) -> list[PageBox | None]:
    place = frame.to_shown_box
    return [
        place(
            left if left < other_left else other_left,
            bottom if bottom < other_bottom else other_bottom,
            right if right > other_right else other_right,
            top if top > other_top else other_top,
        )
        for (left, top, right, bottom), (other_left, other_top, other_right, other_bottom) in zip(
            firsts, lasts, strict=True
        )
    ]
