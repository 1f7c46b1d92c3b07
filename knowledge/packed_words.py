"""The boxes of the words of a page in some three bytes a word, where JSON takes twenty when PostgreSQL compressed it.

A box is `[start, end, x0, top, x1, bottom]`. Each column is kept as how far it lies from what comes before: the start
from the end of the last word, the left side from the right side of the last word on the line. Sides are counted in
tenths of a point, which is what readers round them to. Numbers are zigzag varints, a column after the other, deflated.
Boxes that this would not give back to the last digit are kept as JSON, deflated.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

WordBoxes = Sequence[Sequence[float | int]]

# The first byte says how the rest is packed: another packing gets another number.
_COLUMNS, _JSON = b"\x01", b"\x02"
_FIELDS = 6
_TENTHS = 10
# Up to it, tenths are exact in a float, and sums of a page's columns fit 64 bits.
_MOST = 2.0**40
_MAX_VARINT_BYTES = 9
_DEFLATE_LEVEL, _RAW_DEFLATE, _DEFLATE_MEMORY = 9, -15, 9


def pack_words(boxes: WordBoxes) -> bytes:
    """The boxes, in order, as `unpack_words` reads them."""
    columns = _box_columns(boxes)
    if columns is None:
        return _JSON + _deflate(json.dumps(boxes, separators=(",", ":")).encode())
    return _COLUMNS + _deflate(_varints(columns.ravel()))


def unpack_words(packed: bytes | memoryview) -> list[list[float | int]]:
    """The boxes that were packed."""
    kind, content = bytes(packed[:1]), zlib.decompress(packed[1:], _RAW_DEFLATE)
    if kind == _JSON:
        return list(json.loads(content))
    if kind != _COLUMNS:
        raise ValueError(f"Word boxes are packed in an unknown way: {kind!r}.")
    columns = _numbers(content).reshape(_FIELDS, -1)
    gaps, lengths, shifts, drops, widths, heights = columns
    ends = np.cumsum(gaps + lengths)
    tops = np.cumsum(drops)
    rights = _along_lines(shifts + widths, drops)
    sides = np.stack([rights - widths, tops, rights, tops + heights], axis=1) / _TENTHS
    spans = np.stack([ends - lengths, ends], axis=1)
    return [[*span, *box] for span, box in zip(spans.tolist(), sides.tolist(), strict=True)]


def _box_columns(boxes: WordBoxes) -> Numbers | None:
    """[6, words]: gap, length, shift to the right, drop, width and height. None where they do not tell everything."""
    if not boxes:
        return np.empty((_FIELDS, 0), np.int64)
    values = np.array(boxes, np.float64)
    if values.shape[1:] != (_FIELDS,) or not (np.abs(values) < _MOST).all():
        return None
    tenths = np.rint(values[:, 2:] * _TENTHS).astype(np.int64)
    spans = values[:, :2].astype(np.int64)
    if (tenths / _TENTHS != values[:, 2:]).any() or (spans != values[:, :2]).any():
        return None
    (starts, ends), (lefts, tops, rights, bottoms) = spans.T, tenths.T
    drops = np.diff(tops, prepend=0)
    before = np.where(drops == 0, np.concatenate([[0], rights[:-1]]), 0)
    gaps = starts - np.concatenate([[0], ends[:-1]])
    return np.stack([gaps, ends - starts, lefts - before, drops, rights - lefts, bottoms - tops])


def _along_lines(steps: Numbers, drops: Numbers) -> Numbers:
    """The sums of the steps up to each word, from the first of its line on: that with another top than the last."""
    sums = np.cumsum(steps)
    before_lines = np.where(drops != 0, sums - steps, 0)
    firsts = np.maximum.accumulate(np.where(drops != 0, np.arange(len(steps)), 0))
    return sums - before_lines[firsts] if len(steps) else sums


def _deflate(content: bytes) -> bytes:
    deflater = zlib.compressobj(_DEFLATE_LEVEL, zlib.DEFLATED, _RAW_DEFLATE, _DEFLATE_MEMORY)
    return deflater.compress(content) + deflater.flush()


def _varints(numbers: Numbers) -> bytes:
    """Seven bits a byte, the lowest first; each byte but the last of a number has its highest bit set."""
    left = ((numbers << 1) ^ (numbers >> 63)).astype(np.uint64)
    digits = left[:, None] >> (7 * np.arange(_MAX_VARINT_BYTES, dtype=np.uint64))
    is_followed = digits[:, 1:] > 0
    written = np.concatenate([np.ones((len(left), 1), bool), is_followed], axis=1)
    digits &= np.uint64(0x7F)
    digits[:, :-1] |= np.where(is_followed, np.uint64(0x80), np.uint64(0))
    return digits.astype(np.uint8)[written].tobytes()


def _numbers(content: bytes) -> Numbers:
    digits = np.frombuffer(content, np.uint8).astype(np.int64)
    if not len(digits):
        return np.empty(0, np.int64)
    is_last = digits < 0x80
    starts = np.concatenate([[0], np.flatnonzero(is_last)[:-1] + 1])
    places = np.arange(len(digits)) - np.repeat(starts, np.diff(starts, append=len(digits)))
    zigzag = np.add.reduceat((digits & 0x7F) << (7 * places), starts)
    return (zigzag >> 1) ^ -(zigzag & 1)
