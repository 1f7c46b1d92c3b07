"""The child process that turns a stranger's picture into a square of pixels. Run by path, never by hand.

It reads the picture from standard input and writes `PIXEL_BYTES` of red, green and blue. It drops its privileges before
it reads a byte.
"""

from __future__ import annotations

import os
import resource
import sys
from io import BytesIO

AVATAR_SIDE = 256  # pixels
PIXEL_BYTES = AVATAR_SIDE * AVATAR_SIDE * 3
_MAX_PIXELS = 40_000_000
_IMAGE_FORMATS = ["PNG", "JPEG", "WEBP"]


def main() -> None:
    _limit_resources()
    content = sys.stdin.buffer.read()
    sys.stdout.buffer.write(_square_pixels(content))
    sys.stdout.buffer.flush()
    os._exit(0)


def _limit_resources() -> None:
    """Memory, processor time, no writing to files, no core dump."""
    for limit, value in (
        (resource.RLIMIT_AS, 1024**3),
        (resource.RLIMIT_CPU, 6),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(limit, (value, value))


def _square_pixels(content: bytes) -> bytes:
    from PIL import Image, ImageOps

    with Image.open(BytesIO(content), formats=_IMAGE_FORMATS) as picture:
        if picture.width * picture.height > _MAX_PIXELS:
            sys.exit(1)
        picture.draft("RGB", (AVATAR_SIDE, AVATAR_SIDE))  # a JPEG is read no finer than it is needed
        upright = ImageOps.exif_transpose(picture).convert("RGBA")
    square = ImageOps.fit(upright, (AVATAR_SIDE, AVATAR_SIDE))
    on_white = Image.new("RGBA", square.size, "white")
    return Image.alpha_composite(on_white, square).convert("RGB").tobytes()


if __name__ == "__main__":
    main()
