"""Picture files: one page or several, upright as the file says, and bombs refused before they are unpacked."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import pytest
from PIL import Image

from knowledge.readers import detect_type
from knowledge.readers.isolation.reader_process import read_pages, render_page
from knowledge.readers.types import (
    DamagedDocument,
    DocumentHeader,
    Limits,
    NoText,
    PageText,
    TooLarge,
    UnsupportedDocument,
)
from tests.knowledge.readers.scans import COVER, scanned

OCR = Limits(ocr=True, stall_seconds=600)


def read(path: Path, limits: Limits = OCR) -> tuple[DocumentHeader, list[PageText]]:
    source_type = detect_type(path.name, path.read_bytes()[:4096])
    header, *pages = read_pages(path, source_type=source_type, limits=limits)
    assert isinstance(header, DocumentHeader)
    return header, pages  # type: ignore[return-value]


def test_a_tiff_has_a_page_for_each_picture(tmp_path):
    first, second = scanned(tmp_path, *COVER), scanned(tmp_path, "Slump is 120 mm.", "Raft of grade M40.")
    first.save(tmp_path / "a.tiff", save_all=True, append_images=[second], dpi=(110, 110))
    header, pages = read(tmp_path / "a.tiff")
    assert (header.page_total, header.paged) == (2, True)
    assert [page.text.split("\n") for page in pages] == [list(COVER), ["Slump is 120 mm.", "Raft of grade M40."]]
    drawn = render_page(tmp_path / "a.tiff", number=2)
    # In points, as the words: of a page of A4 that was scanned with 110 dots an inch.
    assert drawn.page_width == pytest.approx(595, abs=2)
    right = max(word[4] for word in pages[1].words or [])
    assert 72 < right < 300


def test_a_photograph_is_read_as_its_file_says_that_it_was_held(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6  # shown turned to the right
    scanned(tmp_path, *COVER).rotate(90, expand=True).save(tmp_path / "a.jpg", exif=exif)
    _, [page] = read(tmp_path / "a.jpg")
    assert page.text.split("\n") == list(COVER)
    drawn = render_page(tmp_path / "a.jpg", number=1)
    assert drawn.height > drawn.width


@pytest.mark.parametrize("name", ["a.png", "a.webp"])
def test_what_is_transparent_is_white(tmp_path, name):
    picture = scanned(tmp_path, *COVER).convert("RGBA")
    clear = picture.convert("L").point(lambda value: 255 - value)
    ink = Image.new("RGBA", picture.size, "black")
    ink.putalpha(clear)
    ink.save(tmp_path / name, lossless=True)
    _, [page] = read(tmp_path / name)
    assert page.text.split("\n") == list(COVER)


def png_of(width: int, height: int) -> bytes:
    """The head of a picture of this size, and too little of what it holds."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    pixels = zlib.compress(bytes(1000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [
        ("bomb.png", png_of(60_000, 60_000), TooLarge),
        ("cut.png", png_of(600, 600)[:60], DamagedDocument),
        ("noise.jpg", b"\xff\xd8\xff" + bytes(range(256)) * 20, DamagedDocument),
        ("noise.tif", b"II*\0" + b"\xff" * 500, DamagedDocument),
        ("loop.tif", b"II*\0\x08\0\0\0" + b"\0\0\x08\0\0\0" * 50, DamagedDocument),
    ],
)
def test_hostile_pictures_are_refused(tmp_path, name, content, error):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(error):
        read(tmp_path / name)
    with pytest.raises(error):
        render_page(tmp_path / name, number=1)


def test_a_picture_without_letters_and_one_that_moves_say_so(tmp_path):
    blank = Image.new("RGB", (300, 300), "white")
    blank.save(tmp_path / "a.png")
    with pytest.raises(NoText):
        read(tmp_path / "a.png")
    blank.save(tmp_path / "b.webp", save_all=True, append_images=[Image.new("RGB", (300, 300), "red")])
    with pytest.raises(UnsupportedDocument, match="Moving pictures"):
        read(tmp_path / "b.webp")
    with pytest.raises(UnsupportedDocument, match=r"\(OCR\) is off"):
        read(tmp_path / "a.png", Limits())
