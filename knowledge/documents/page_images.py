"""Pages of PDFs as pictures: rendered when a person looks at one, and cached beside the stored files, within bounds.

A picture belongs to the bytes its page was read from, so a page that was replaced long ago still shows what was
cited. Only pixels come from the process that drew it; the picture file is made here.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from io import BytesIO

from django.conf import settings
from django.core.cache import cache

from knowledge.documents import file_store
from knowledge.models import Page
from knowledge.readers.isolation import reader_process
from knowledge.readers.isolation.rendered_page import RenderedPage
from knowledge.readers.types import UnreadableDocument
from lexic.database import release_connections
from lexic.errors import LexicError
from lexic.middleware.request_limit import free_request_slot
from lexic.storage import prune, site_storage

# The size of the page, in tenths of a point, is in the name: a picture is read without asking anything else.
_IMAGE_NAME = re.compile(r"(\d{1,9})-(\d{1,6})x(\d{1,6})\.webp")
IMAGES_FOLDER = "pictures"
_WEBP_QUALITY = 82
_RENDER_SLOTS = threading.BoundedSemaphore(2)
# Those of them for visitors who are not signed in; the other is left to people who are.
_VISITOR_SLOTS = threading.BoundedSemaphore(1)
_SLOT_TIMEOUT_SECONDS = 8.0  # seconds that a person waits for a turn
_FAILURE_CACHE_SECONDS = 600  # seconds
_SWEEP_INTERVAL_SECONDS = 60  # seconds


class NoPageImage(LexicError):
    """There is no picture of this page."""

    code = "no_picture"
    status = 404
    hint = "Read its text instead."


class PageImagesBusy(NoPageImage):
    """Many pages are being drawn right now."""

    code = "busy"
    status = 503
    retry_after = 5  # seconds
    hint = "Open the page again in a moment; its text is here."


@dataclass(frozen=True, kw_only=True)
class PageImage:
    """A WebP file in the storage; `width` and `height` of the page are in points, the unit of `Page.word_boxes`."""

    name: str
    width: float
    height: float


def can_have_image(page: Page) -> bool:
    """Whether there can be one: only PDFs have places for their words."""
    return page.has_word_boxes


def get_page_image(page: Page, *, is_for_visitor: bool = False) -> PageImage:
    """The page as it was in the file it was read from, rendered now if it is not there yet. Raises `NoPageImage`
    and `StorageUnavailable`.

    `is_for_visitor`: the request is not signed in. Only one page at a time is rendered for such requests, so that
    signed-in people do not wait for them.
    """
    if not can_have_image(page):
        raise NoPageImage
    return _cached_image(page) or _render_image(page, is_for_visitor=is_for_visitor)


def read_page_image(image: PageImage) -> bytes:
    """The WebP file. Raises `PageImagesBusy` and `StorageUnavailable`."""
    try:
        return site_storage().read(image.name)
    except FileNotFoundError as error:  # it has just made way
        raise PageImagesBusy from error


def delete_page_images(sha256: str) -> None:
    """Delete the pictures of a file that is no longer stored."""
    site_storage().delete_folder(_image_folder(sha256))


def files_with_images() -> set[str]:
    """The names of the stored files that there are pictures of."""
    return {one.name.split("/")[2] for one in site_storage().files(f"{IMAGES_FOLDER}/") if one.name.count("/") == 3}


def _image_folder(sha256: str) -> str:
    return f"{IMAGES_FOLDER}/{file_store.stored_name(sha256)}"


def _cached_image(page: Page) -> PageImage | None:
    storage = site_storage()
    for found in storage.files(f"{_image_folder(page.source_sha256)}/{page.number}-"):
        if match := _IMAGE_NAME.fullmatch(found.name.rpartition("/")[2]):
            storage.note_use(found)
            return PageImage(name=found.name, width=int(match[2]) / 10, height=int(match[3]) / 10)
    return None


def _render_image(page: Page, *, is_for_visitor: bool) -> PageImage:
    failure = f"knowledge:no-picture:{page.source_sha256}:{page.number}"
    # No connection is held while somebody waits, nor while it is drawn.
    with release_connections():
        if not file_store.is_stored(page.source_sha256):
            raise NoPageImage("The file of this page is no longer on this server.")
        if reason := cache.get(failure):
            raise NoPageImage(reason)
    try:
        with _render_slot(is_for_visitor=is_for_visitor):
            if found := _cached_image(page):  # by now
                return found
            with file_store.local_copy(page.source_sha256) as source:
                rendered = reader_process.render_page(source, number=page.number)
    except file_store.SourceFileMissing as error:  # since it was looked for
        raise NoPageImage(error.message) from error
    except UnreadableDocument as error:
        # What took all its time once is not tried again for everybody who looks.
        reason = f"This page cannot be drawn: {error.message[:1].lower()}{error.message[1:]}"
        cache.set(failure, reason, _FAILURE_CACHE_SECONDS)
        raise NoPageImage(reason) from error
    picture = _save_image(page, rendered)
    if cache.add("knowledge:pictures-swept", 1, _SWEEP_INTERVAL_SECONDS):
        evict_page_images(max_bytes=settings.LEXIC_PICTURES_MAX_BYTES)
    return picture


@contextmanager
def _render_slot(*, is_for_visitor: bool) -> Iterator[None]:
    """Waits for a place to draw in, and holds it inside the block. Raises `PageImagesBusy`."""
    free_request_slot()
    with ExitStack() as held:
        end = time.monotonic() + _SLOT_TIMEOUT_SECONDS
        for places in [_VISITOR_SLOTS, _RENDER_SLOTS] if is_for_visitor else [_RENDER_SLOTS]:
            if not places.acquire(timeout=max(0.0, end - time.monotonic())):
                raise PageImagesBusy
            held.callback(places.release)
        yield


def _save_image(page: Page, rendered: RenderedPage) -> PageImage:
    from PIL import Image  # slow import

    width, height = round(rendered.page_width * 10), round(rendered.page_height * 10)
    name = f"{_image_folder(page.source_sha256)}/{page.number}-{width}x{height}.webp"
    image = Image.frombytes("RGB", (rendered.width, rendered.height), rendered.pixels)
    content = BytesIO()
    image.save(content, "WEBP", quality=_WEBP_QUALITY, method=2)
    site_storage().save(content.getvalue(), name)
    return PageImage(name=name, width=width / 10, height=height / 10)


def evict_page_images(*, max_bytes: int) -> int:
    """Delete the least recently viewed pictures, until the rest takes up less than this. Returns how many."""
    return prune(site_storage(), IMAGES_FOLDER, most_bytes=max_bytes)
