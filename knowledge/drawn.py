"""A drawn page as it comes from the child that drew it. The child may have been taken over: all is checked here."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import dataclass
from typing import Any

from knowledge.readers.types import ERRORS, DamagedDocument

MOST_PIXELS_ON_A_SIDE = 2_400
_BYTES_OF_A_PIXEL = 3
# In points; the largest page that PDF allows is 200 inches wide.
_LARGEST_PAGE = 14_400


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """`pixels` are rows of RGB from the top, `width` and `height` count them; the page's size is in points."""

    width: int
    height: int
    page_width: float
    page_height: float
    pixels: bytes


def decode_drawing(line: bytes) -> Drawing:
    """Raises the `UnreadableDocument` that the line carries, or `DamagedDocument` for a line that is none of ours."""
    try:
        kind, *fields = json.loads(line)
        if kind == "error":
            raise ERRORS.get(str(fields[0]), DamagedDocument)()
        return _drawing(*fields)
    except (ValueError, TypeError, IndexError, RecursionError, zlib.error) as error:
        raise DamagedDocument() from error


def _drawing(width: Any, height: Any, page_width: Any, page_height: Any, packed: Any) -> Drawing:
    sides = range(1, MOST_PIXELS_ON_A_SIDE + 1)
    if type(width) is not int or type(height) is not int or width not in sides or height not in sides:
        raise ValueError("a picture has a size within bounds")
    if not all(0 < float(side) <= _LARGEST_PAGE for side in (page_width, page_height)):
        raise ValueError("a page has a size within bounds")
    return Drawing(
        width=width,
        height=height,
        page_width=float(page_width),
        page_height=float(page_height),
        pixels=_unpacked(packed, size=width * height * _BYTES_OF_A_PIXEL),
    )


def _unpacked(packed: str, *, size: int) -> bytes:
    unpacking = zlib.decompressobj()
    pixels = unpacking.decompress(base64.b64decode(packed, validate=True), size)
    if len(pixels) != size:
        raise ValueError("a picture has all its pixels")
    return pixels
