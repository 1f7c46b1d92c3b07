"""Reads which pages a site's robots.txt allows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from protego import Protego

AGENT = "Lexic"


def check_addresses(path: Path, addresses: Sequence[str]) -> Iterator[float | bool]:
    """First how many seconds the site wants between two requests, then of each address whether it may be read."""
    rules = Protego.parse(path.read_bytes().decode("utf-8", "replace"))
    yield float(rules.crawl_delay(AGENT) or 0)
    for address in addresses:
        yield bool(rules.can_fetch(address, AGENT))
