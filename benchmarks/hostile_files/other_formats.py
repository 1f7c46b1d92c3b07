"""Hostile letters, tables, pages and pictures; and sound files of each kind that are cut off or misnamed."""

from __future__ import annotations

import io
import random
import struct
import zlib
from collections.abc import Iterator

from PIL import Image

from benchmarks.hostile_files.archives import ARCHIVES, MEBIBYTE, Make, book, open_document, slides, word, workbook
from knowledge.readers.formats import OLE_MAGIC

_HEAD = b"From: a@example.org\nMessage-ID: <1@example.org>\nMIME-Version: 1.0\n"
_OLE = OLE_MAGIC + bytes(2_000)


def _multipart(parts: bytes, *, closed: bool = True) -> bytes:
    return _HEAD + b'Content-Type: multipart/mixed; boundary="b"\n\n' + parts + (b"--b--\n" if closed else b"")


def _nested_mails(depth: int) -> bytes:
    return b"".join(
        _HEAD + b'Content-Type: multipart/mixed; boundary="b%d"\n\n--b%d\nContent-Type: message/rfc822\n\n' % (at, at)
        for at in range(depth)
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _png(width: int, height: int, *, extra: bytes = b"") -> bytes:
    """All of its pixels are there, and packed small."""
    squeeze = zlib.compressobj(9)
    row = bytes(1 + width // 8 + 1)
    pixels = b"".join(squeeze.compress(row) for _ in range(height)) + squeeze.flush()
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + extra + _chunk(b"IDAT", pixels) + _chunk(b"IEND", b"")


def _frames(kind: str, count: int) -> bytes:
    target = io.BytesIO()
    pictures = [Image.new("1", (400, 400), at % 2) for at in range(count)]
    pictures[0].save(target, kind, save_all=True, append_images=pictures[1:])
    return target.getvalue()


def _picture(kind: str, size: tuple[int, int]) -> bytes:
    target = io.BytesIO()
    Image.new("L", size, 255).save(target, kind, **({"progressive": True} if kind == "JPEG" else {}))
    return target.getvalue()


def _loop_of_frames() -> bytes:
    """A TIFF of one frame, which says that itself comes next."""
    entries = [(256, 4, 1, 400), (257, 4, 1, 400), (273, 4, 1, 8), (279, 4, 1, 1)]
    table = struct.pack("<H", len(entries)) + b"".join(struct.pack("<HHII", *entry) for entry in entries)
    return b"II*\0" + struct.pack("<I", 8) + table + struct.pack("<I", 8)


OTHERS: dict[str, Make] = {
    "deep.rtf": lambda: b"{\\rtf1" + b"{" * 3_000_000 + b"a" + b"}" * 3_000_000 + b"}",
    "endless-bin.rtf": lambda: b"{\\rtf1 text\\bin999999999 " + bytes(range(1, 256)) * 50_000,
    "million-letters.rtf": lambda: b"{\\rtf1" + b"\\u8364?" * 4_000_000 + b"}",
    "million-cells.rtf": lambda: b"{\\rtf1" + b"\\trowd a\\cell b\\cell\\row" * 300_000 + b"}",
    "million-hidden.rtf": lambda: b"{\\rtf1" + b"\\v a\\v0 b{\\v c}" * 1_500_000 + b"}",
    "open-groups.rtf": lambda: b"{\\rtf1 " + b"{\\*\\x " * 3_000_000,
    "text-of-45-MB.rtf": lambda: b"{\\rtf1 " + b"some words\\par " * 3_000_000 + b"}",
    "ten-thousand-parts.eml": lambda: _multipart(b"--b\nContent-Type: text/plain\n\ntext\n" * 10_000),
    "endless-part.eml": lambda: _multipart(b"--b\n\n" + b"text without an end\n" * 2_400_000, closed=False),
    "mails-in-mails.eml": lambda: _nested_mails(1_000),
    "million-headers.eml": lambda: _HEAD + b"X-A: b\n" * 4_000_000 + b"\ntext",
    "million-encoded-words.eml": lambda: _HEAD + b"Subject: " + b"=?utf-8?q?a?= " * 2_000_000 + b"\n\ntext",
    "million-receivers.eml": lambda: _HEAD + b"To: " + b"a <a@b.example>, " * 1_000_000 + b"\n\ntext",
    "punycode.eml": lambda: _HEAD + b"Content-Type: text/plain; charset=punycode\n\n" + b"a-zb9" * 2_000_000,
    "boundary-of-dashes.eml": lambda: (
        _HEAD + b'Content-Type: multipart/mixed; boundary="' + b"-" * 60 + b'"\n\n' + (b"-" * 70 + b"\n") * 500_000
    ),
    "base64-of-48-MB.eml": lambda: _HEAD + b"Content-Transfer-Encoding: base64\n\n" + b"QUJD" * 12_000_000,
    "deep.html": lambda: b"<html><body>" + b"<div>" * 5_000_000,
    "wide-cells.html": lambda: b"<html><table>" + b"<tr><td colspan=100 rowspan=100>a<td>b" * 500_000,
    "cells-of-one-row.html": lambda: b"<html><table><tr><td>a<td>b<tr>" + b"<td colspan=100>" * 2_500_000,
    "million-attributes.html": lambda: b"<html><p " + b"".join(b"a%d=b " % at for at in range(1_000_000)) + b">text",
    "open-comment.html": lambda: b"<html>text" + b"<!-- " * 9_000_000,
    "punycode.html": lambda: b"<html><meta charset=punycode>\xff" + b"a-zb9" * 2_000_000,
    "line-of-49-MB.csv": lambda: b"a" * 49 * MEBIBYTE,
    "line-over-the-limit.csv": lambda: b"a," * 50 * MEBIBYTE,
    "hundred-thousand-columns.csv": lambda: b",".join([b"a"] * 100_000) + b"\n" + b",".join([b"1"] * 100_000),
    "million-rows.csv": lambda: b"name,value\n" + b"a,1\n" * 2_000_000,
    "million-quotes.csv": lambda: b'"' * 40_000_001 + b",a\n",
    "long-labels.csv": lambda: b",".join([b"label " * 9] * 900) + b"\n" + (b"1," * 899 + b"1\n") * 9_000,
    "brackets.md": lambda: b"[" * 40_000_000,
    "emphasis.md": lambda: b"*a_ " * 10_000_000,
    "headings.md": lambda: b"# a\n" * 10_000_000,
    "spaces.txt": lambda: b" \n" * 20_000_000 + b"a",
    "one-word-of-4-MB.txt": lambda: b"a" * 4_000_000,
    "brackets.json": lambda: b"[" * 40_000_000,
    "number-of-4-MB.json": lambda: b"[" + b"1" * 4_000_000 + b"]",
    "million-keys.json": lambda: b"{" + b",".join(b'"k%d":%d' % (at, at) for at in range(1_500_000)) + b"}",
    "hundred-thousand-square.png": lambda: _png(100_000, 100_000),
    "nine-thousand-square.png": lambda: _png(9_000, 9_000),
    "one-pixel-wide.png": lambda: _png(1, 1_000_000),
    "text-bomb.png": lambda: _png(400, 400, extra=_chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(200 * MEBIBYTE), 9))),
    "wide.jpg": lambda: _picture("JPEG", (65_000, 2_000)),
    "large.webp": lambda: _picture("WEBP", (16_383, 16_383)),
    "frames.tiff": lambda: _frames("TIFF", 6_000),
    "frames.webp": lambda: _frames("WEBP", 300),
    "frame-of-itself.tif": _loop_of_frames,
    "old-office.doc": lambda: _OLE,
    "encrypted.docx": lambda: _OLE + "EncryptedPackage".encode("utf-16-le") + bytes(4_000),
    "old-office.pptx": lambda: _OLE,
    "old-office.xlsx": lambda: _OLE,
    "a-program.docx": lambda: b"MZ" + bytes(4_000),
    "a-workbook.docx": lambda: workbook('<row r="1"><c r="A1"><v>1</v></c></row>'),
    "a-letter.pdf": lambda: word("<w:p><w:r><w:t>text</w:t></w:r></w:p>"),
    "noise.epub": lambda: b"PK\x03\x04" + random.Random(1).randbytes(MEBIBYTE),
}

_PARAGRAPHS = "".join(f"<w:p><w:r><w:t>Words of paragraph {at}</w:t></w:r></w:p>" for at in range(200))
_SOUND: dict[str, Make] = {
    "docx": lambda: word(_PARAGRAPHS),
    "pptx": lambda: slides(20),
    "xlsx": lambda: workbook('<row r="1"><c r="A1"><v>1</v></c></row>' * 3),
    "epub": lambda: book(*[b"<html><body><p>text of a chapter</p></body></html>"] * 20),
    "odt": lambda: open_document("<text:p>text</text:p>" * 500),
    "png": lambda: _picture("PNG", (800, 800)),
    "jpg": lambda: _picture("JPEG", (800, 800)),
    "tiff": lambda: _picture("TIFF", (800, 800)),
    "webp": lambda: _picture("WEBP", (800, 800)),
}


def _cut(make: Make) -> Make:
    return lambda: (whole := make())[: len(whole) // 2]


def hostile_files() -> Iterator[tuple[str, Make]]:
    """The name of each file, and what makes it."""
    yield from ARCHIVES.items()
    yield from OTHERS.items()
    yield from ((f"cut.{ending}", _cut(make)) for ending, make in _SOUND.items())
