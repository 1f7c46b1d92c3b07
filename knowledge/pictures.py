"""Pages of PDFs as pictures: drawn when somebody looks, kept beside the stored files, within bounds.

A picture belongs to the bytes its page was read from, so a page that was replaced long ago still shows what was
cited. Only pixels come from the process that drew it; the picture file is made here.
"""

from __future__ import annotations

import re
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.core.cache import cache
from PIL import Image

from knowledge import files, sandbox
from knowledge.drawn import Drawing
from knowledge.models import Page
from knowledge.readers.types import UnreadableDocument
from lexic import kept_files
from lexic.database import release_connections
from lexic.errors import LexicError

# The size of the page, in tenths of a point, is in the name: a picture is read without asking anything else.
_NAME = re.compile(r"(\d{1,9})-(\d{1,6})x(\d{1,6})\.webp")
_QUALITY = 82
_AT_ONCE = threading.BoundedSemaphore(2)
# Of these, those for visitors who have not signed in: however many come, people who work here get their turn.
_FOR_VISITORS = threading.BoundedSemaphore(1)
_PATIENCE = 8.0  # seconds that a person waits for a turn
_FAILURE_KEPT = 600  # seconds
_SWEEP_EVERY = 60  # seconds
_USED_AGAIN = 3600.0  # seconds until a look at a picture is worth noting


class NoPicture(LexicError):
    """There is no picture of this page."""

    code = "no_picture"
    status = 404
    hint = "Read its text instead."


class PicturesAreBusy(NoPicture):
    """Many pages are being drawn right now."""

    code = "busy"
    status = 503
    retry_after = 5  # seconds
    hint = "Open the page again in a moment; its text is here."


@dataclass(frozen=True, kw_only=True)
class Picture:
    """A WebP file; `width` and `height` of the page are in points, the unit of `Page.words`."""

    path: Path
    width: float
    height: float


def has_picture(page: Page) -> bool:
    """Whether there can be one: only PDFs have places for their words."""
    return page.words is not None


def picture_of(page: Page, *, is_for_visitor: bool = False) -> Picture:
    """The page as it was in the file it was read from, drawn now if it is not there yet. Raises `NoPicture`.

    `is_for_visitor`: nobody has signed in. Of their pages one is drawn at a time, so that a place is left to people.
    """
    if not has_picture(page):
        raise NoPicture
    return _kept(page) or _drawn(page, is_for_visitor=is_for_visitor)


def forget(sha256: str) -> None:
    """Delete the pictures of a file that is no longer stored."""
    shutil.rmtree(_folder(sha256), ignore_errors=True)


def _folder(sha256: str) -> Path:
    # `path_of` checks the name.
    return _root() / sha256[:2] / files.path_of(sha256).name


def _root() -> Path:
    return Path(settings.LEXIC_FILES_DIR) / "pictures"


def _kept(page: Page) -> Picture | None:
    for path in _folder(page.source_sha256).glob(f"{page.number}-*.webp"):
        if match := _NAME.fullmatch(path.name):
            _note_use(path)
            return Picture(path=path, width=int(match[2]) / 10, height=int(match[3]) / 10)
    return None


def _note_use(path: Path) -> None:
    with suppress(OSError):
        if path.stat().st_mtime < time.time() - _USED_AGAIN:
            path.touch()


def _drawn(page: Page, *, is_for_visitor: bool) -> Picture:
    source = files.path_of(page.source_sha256)
    failure = f"knowledge:no-picture:{page.source_sha256}:{page.number}"
    # No connection is held while somebody waits, nor while it is drawn.
    with release_connections():
        if not source.exists():
            raise NoPicture("The file of this page is no longer on this server.")
        if said := cache.get(failure):
            raise NoPicture(said)
    try:
        with _turn(is_for_visitor=is_for_visitor):
            if found := _kept(page):  # by now
                return found
            drawing = sandbox.draw_page(source, number=page.number)
    except UnreadableDocument as error:
        # What took all its time once is not tried again for everybody who looks.
        said = f"This page cannot be drawn: {error.message[:1].lower()}{error.message[1:]}"
        cache.set(failure, said, _FAILURE_KEPT)
        raise NoPicture(said) from error
    picture = _keep(page, drawing)
    if cache.add("knowledge:pictures-swept", 1, _SWEEP_EVERY):
        sweep(most_bytes=settings.LEXIC_PICTURES_MAX_BYTES)
    return picture


@contextmanager
def _turn(*, is_for_visitor: bool) -> Iterator[None]:
    """Waits for a place to draw in, and holds it inside the block. Raises `PicturesAreBusy`."""
    with ExitStack() as held:
        end = time.monotonic() + _PATIENCE
        for places in [_FOR_VISITORS, _AT_ONCE] if is_for_visitor else [_AT_ONCE]:
            if not places.acquire(timeout=max(0.0, end - time.monotonic())):
                raise PicturesAreBusy
            held.callback(places.release)
        yield


def _keep(page: Page, drawing: Drawing) -> Picture:
    width, height = round(drawing.page_width * 10), round(drawing.page_height * 10)
    path = _folder(page.source_sha256) / f"{page.number}-{width}x{height}.webp"
    image = Image.frombytes("RGB", (drawing.width, drawing.height), drawing.pixels)
    with kept_files.unnamed(path.parent) as target:
        image.save(target, "WEBP", quality=_QUALITY, method=2)
        kept_files.settle(target, path)
    return Picture(path=path, width=width / 10, height=height / 10)


def sweep(*, most_bytes: int) -> int:
    """Delete the pictures that nobody has looked at for longest, until the rest takes up less. Returns how many."""
    return kept_files.sweep(_root().glob("*/*/*"), most_bytes=most_bytes)
