"""A sitemap as the protocol of sitemaps.org has it: addresses of pages, or of further sitemaps."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path

from knowledge.readers.safe_xml import local_name, parse_xml
from knowledge.readers.types import DamagedDocument, TooLarge

MAX_ADDRESSES = 50_000
MAX_BYTES = 50 * 1024 * 1024
_GZIP = b"\x1f\x8b"


def read_sitemap(path: Path) -> Iterator[list[str]]:
    """`["page" or "sitemap", address]` of each entry. Raises `DamagedDocument` for what is no sitemap, `TooLarge`."""
    root = parse_xml(_unpack(path.read_bytes()))
    kind = {"urlset": "page", "sitemapindex": "sitemap"}.get(local_name(root.tag))
    if kind is None:
        raise DamagedDocument
    count = 0
    for entry in root:
        location = next((one.text for one in entry if local_name(one.tag) == "loc"), None)
        if location and location.strip():
            count += 1
            if count > MAX_ADDRESSES:
                return
            yield [kind, location.strip()]


def _unpack(data: bytes) -> bytes:
    if not data.startswith(_GZIP):
        return data
    unpacker = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    try:
        unpacked = unpacker.decompress(data, MAX_BYTES)
    except zlib.error as error:
        raise DamagedDocument from error
    if unpacker.unconsumed_tail:
        raise TooLarge
    return unpacked
