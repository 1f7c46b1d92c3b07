"""A picture file as people see it: each of its pages, upright as its file says, within bounds on what it unpacks to."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image, ImageOps, UnidentifiedImageError

from knowledge.readers.types import DamagedDocument, TooLarge, UnsupportedDocument

FORMATS = ("PNG", "JPEG", "TIFF", "WEBP")
# A page of A3 at 600 dots an inch has 70 million.
MAX_PIXELS = 90_000_000
MAX_PAGES = 2_000
# In points. A file that does not say how large it is on paper is shown as high, or as wide, as A4.
_A4_SIDE = 842.0
_PAPER_SIDES = (72.0, 14_400.0)


@contextmanager
def open_pictures(path: Path) -> Iterator[Any]:
    """The file, opened. Raises `UnreadableDocument` for what is none, and for what goes wrong inside the block."""
    Image.MAX_IMAGE_PIXELS = None  # the sizes are checked here, before anything is unpacked
    try:
        with Image.open(path, formats=FORMATS) as pictures:
            if getattr(pictures, "n_frames", 1) > 1 and pictures.format != "TIFF":
                raise UnsupportedDocument("Moving pictures are not read.")
            yield pictures
    except UnidentifiedImageError as error:
        raise DamagedDocument() from error
    except (OSError, ValueError, SyntaxError, EOFError, struct.error, KeyError, IndexError, TypeError) as error:
        # Broken files surface as any of these, depending on what is broken.
        raise DamagedDocument() from error


def page_count(pictures: Any) -> int:
    return int(getattr(pictures, "n_frames", 1))


def page_picture(pictures: Any, number: int, *, longest_side: int) -> tuple[Any, tuple[float, float]]:
    """The page of this number (from 1) in red, green and blue, on white, no longer or wider than this many pixels; and
    its size in points."""
    pictures.seek(number - 1)
    width, height = pictures.size
    if width * height > MAX_PIXELS:
        raise TooLarge(f"Picture {number} has more than {MAX_PIXELS // 1_000_000} million pixels.")
    size = _points(pictures)
    picture = pictures.copy() if pictures.format != "JPEG" else pictures
    upright = ImageOps.exif_transpose(picture)
    if (upright.width > upright.height) != (width > height):
        size = size[1], size[0]
    upright.thumbnail((longest_side, longest_side))
    return _on_white(upright), size


def _points(pictures: Any) -> tuple[float, float]:
    width, height = pictures.size
    across, down = _dots_per_inch(pictures)
    size = width * 72 / across, height * 72 / down
    least, most = _PAPER_SIDES
    if across > 1 and all(least <= side <= most for side in size) and across != 72:
        return size
    scale = _A4_SIDE / max(width, height)
    return width * scale, height * scale


def _dots_per_inch(pictures: Any) -> tuple[float, float]:
    try:
        across, down = map(float, pictures.info.get("dpi", (1, 1)))
    except (TypeError, ValueError, ZeroDivisionError):
        return 1.0, 1.0
    return (across, down) if across > 1 and down > 1 else (1.0, 1.0)


def _on_white(picture: Any) -> Any:
    if picture.mode.startswith("I"):  # sixteen bits for each pixel
        picture = picture.point(lambda value: value / 256).convert("L")
    if picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info:
        picture = picture.convert("RGBA")
        ground = Image.new("RGBA", picture.size, "white")
        picture = Image.alpha_composite(ground, picture)
    return picture.convert("RGB")
