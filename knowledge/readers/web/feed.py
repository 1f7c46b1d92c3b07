"""An RSS or Atom feed: the addresses and titles of its entries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import feedparser

from knowledge.readers.text_cleaning import clean_text, one_line
from knowledge.readers.types import DamagedDocument

MAX_ENTRIES = 2_000


def read_feed(path: Path) -> Iterator[list[str]]:
    """`[address, title]` of each entry that has an address. Raises `DamagedDocument` for what is no feed."""
    parsed = feedparser.parse(path.read_bytes())  # bytes, so that nothing is ever fetched
    if not parsed.get("version"):
        raise DamagedDocument
    for entry in parsed.entries[:MAX_ENTRIES]:
        address = entry.get("link", "")
        if isinstance(address, str) and address.startswith(("http://", "https://")):
            yield [address, one_line(clean_text(entry.get("title", "")))[:300]]
