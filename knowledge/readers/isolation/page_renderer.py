"""The child process that draws one page of a PDF or of a picture file, under the same restraints as the one that reads.

Run by path, as `python -P .../page_renderer.py PATH NUMBER LIMITS PARENT`, never by hand. It sends one line of JSON:
the size of the picture in pixels and of the page in points, and the pixels. It never makes a picture file, because
a browser would then have to trust bytes that a stranger chose.
"""

from __future__ import annotations

import base64
import importlib.util
import json
import os
import sys
import zlib
from pathlib import Path
from types import ModuleType
from typing import Any

# Twice the size on paper (144 dots an inch), as long as that is not more pixels than a screen can use.
MAX_SCALE = 2.0
MAX_SIDE_PIXELS = 2200


def main(arguments: list[str]) -> None:
    path, number, limits, parent = arguments
    values = json.loads(limits)
    restraints = _load_restraints()
    restraints.die_with_parent(int(parent))
    restraints.limit_resources(memory_bytes=values["memory_bytes"], cpu_seconds=values["cpu_seconds"])
    restraints.disable_network()
    sys.stdout.buffer.write(json.dumps(_render_page(Path(path), int(number))).encode() + b"\n")
    sys.stdout.buffer.flush()
    os._exit(0)


def _load_restraints() -> ModuleType:
    """What the reading child does to itself; loaded by path, so that no package starts before it is done."""
    spec = importlib.util.spec_from_file_location("restraints", Path(__file__).parent.parent / "__main__.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _render_page(path: Path, number: int) -> list[Any]:
    with path.open("rb") as file:
        is_pdf = b"%PDF-" in file.read(1024)
    return _render_pdf_page(path, number) if is_pdf else _render_picture(path, number)


def _render_picture(path: Path, number: int) -> list[Any]:
    _load_restraints().stub_project_package()
    from knowledge.readers.image.picture_file import open_pictures, page_picture
    from knowledge.readers.types import UnreadableDocument

    try:
        with open_pictures(path) as pictures:
            picture, (width, height) = page_picture(pictures, number, longest_side=MAX_SIDE_PIXELS)
    except MemoryError:
        return ["error", "memory"]
    except UnreadableDocument as error:
        return ["error", error.code]
    pixels = base64.b64encode(zlib.compress(picture.tobytes(), 1)).decode()
    return ["drawing", picture.width, picture.height, width, height, pixels]


def _render_pdf_page(path: Path, number: int) -> list[Any]:
    import pypdfium2  # after the process has given up its powers

    try:
        document = pypdfium2.PdfDocument(path)
        page = document[number - 1]
        width, height = page.get_size()
        if not (width >= 1 and height >= 1):
            return ["error", "empty"]
        scale = min(MAX_SCALE, MAX_SIDE_PIXELS / max(width, height))
        # Red, green and blue, a byte each, whatever the page is made of.
        bitmap = page.render(scale=scale, rev_byteorder=True, force_bitmap_format=pypdfium2.raw.FPDFBitmap_BGR)
    except MemoryError:
        return ["error", "memory"]
    except (pypdfium2.PdfiumError, IndexError):
        return ["error", "damaged"]
    pixels = base64.b64encode(zlib.compress(_pixel_rows(bitmap), 1)).decode()
    return ["drawing", bitmap.width, bitmap.height, width, height, pixels]


def _pixel_rows(bitmap: Any) -> bytes:
    """The pixels without the padding at the end of each row."""
    length, view = 3 * bitmap.width, memoryview(bitmap.buffer)
    return b"".join(view[start : start + length] for start in range(0, bitmap.stride * bitmap.height, bitmap.stride))


if __name__ == "__main__":
    main(sys.argv[1:])
