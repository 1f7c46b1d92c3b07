"""A drawn page as it comes from the child that drew it.

The child has parsed a file of strangers and is not trusted, so everything that it sends is checked here.
"""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import dataclass
from typing import Any

from knowledge.readers.types import ERRORS_BY_CODE, DamagedDocument

MAX_SIDE_PIXELS = 2_400
_BYTES_PER_PIXEL = 3
# In points; the largest page that PDF allows is 200 inches wide.
_MAX_PAGE_POINTS = 14_400


@dataclass(frozen=True, kw_only=True)
class RenderedPage:
    """`pixels` are rows of RGB from the top, `width` and `height` count them; the page's size is in points."""

    width: int
    height: int
    page_width: float
    page_height: float
    pixels: bytes


def decode_rendered_page(line: bytes) -> RenderedPage:
    """Raises the `UnreadableDocument` that the line carries, or `DamagedDocument` for a line that is none of ours."""
    try:
        kind, *fields = json.loads(line)
        if kind == "error":
            raise ERRORS_BY_CODE.get(str(fields[0]), DamagedDocument)()
        return _checked_page(*fields)
    except (ValueError, TypeError, IndexError, RecursionError, zlib.error) as error:
        raise DamagedDocument() from error


def _checked_page(width: Any, height: Any, page_width: Any, page_height: Any, packed: Any) -> RenderedPage:
    sides = range(1, MAX_SIDE_PIXELS + 1)
    if type(width) is not int or type(height) is not int or width not in sides or height not in sides:
        raise ValueError("a picture has a size within bounds")
    if not all(0 < float(side) <= _MAX_PAGE_POINTS for side in (page_width, page_height)):
        raise ValueError("a page has a size within bounds")
    return RenderedPage(
        width=width,
        height=height,
        page_width=float(page_width),
        page_height=float(page_height),
        pixels=_decompress_pixels(packed, size=width * height * _BYTES_PER_PIXEL),
    )


def _decompress_pixels(packed: str, *, size: int) -> bytes:
    unpacking = zlib.decompressobj()
    pixels = unpacking.decompress(base64.b64decode(packed, validate=True), size)
    if len(pixels) != size:
        raise ValueError("a picture has all its pixels")
    return pixels
