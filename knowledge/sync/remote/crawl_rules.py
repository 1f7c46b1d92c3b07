"""The rules of a site for crawlers, read in the confined child process: robots.txt, links, sitemaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from knowledge.readers.isolation.confined_call import confined_call
from knowledge.readers.types import UnreadableDocument
from knowledge.sync.remote.addresses import normalise

_LINKS = "knowledge.readers.web.links:read_links"
_ROBOTS = "knowledge.readers.web.robots:check_addresses"
_SITEMAP = "knowledge.readers.web.sitemap:read_sitemap"


@dataclass(frozen=True, kw_only=True)
class PageRules:
    """`links` are addresses as `normalise` writes them; with `has_more_links` the page has others."""

    links: Sequence[str] = ()
    has_more_links: bool = False
    is_hidden: bool = False
    asks_for_password: bool = False


@dataclass(frozen=True, kw_only=True)
class RobotsAnswer:
    """`delay`: seconds between two requests. `allowed`: those of the addresses that may be read."""

    delay: float = 0.0
    allowed: frozenset[str] = field(default_factory=frozenset)


def read_page_rules(pages: Sequence[tuple[Path, str]]) -> list[PageRules]:
    """Of each page, a file and its address, in the same order. One that kills the child has no links."""
    if not pages:
        return []
    try:
        return _read_in_one_child(pages)
    except UnreadableDocument:
        return [PageRules()] if len(pages) == 1 else [read_page_rules([page])[0] for page in pages]


def _read_in_one_child(pages: Sequence[tuple[Path, str]]) -> list[PageRules]:
    arguments = {"pages": [[str(path), address] for path, address in pages]}
    values = list(confined_call(_LINKS, pages[0][0], arguments=arguments))
    if len(values) != len(pages) or not all(isinstance(one, dict) for one in values):
        return [PageRules()] * len(pages)
    return [
        PageRules(
            links=_normalised(one.get("links")),
            has_more_links=one.get("hasMoreLinks") is True,
            is_hidden=one.get("isHidden") is True,
            asks_for_password=one.get("asksForPassword") is True,
        )
        for one in values
    ]


def check_robots(robots: Path | None, addresses: Sequence[str]) -> RobotsAnswer:
    """Without a robots.txt all may be read. Raises `UnreadableDocument` for rules that cannot be understood in time."""
    if robots is None or not addresses:
        return RobotsAnswer(allowed=frozenset(addresses))
    delay, *answers = confined_call(_ROBOTS, robots, arguments={"addresses": list(addresses)})
    allowed = frozenset(address for address, is_allowed in zip(addresses, answers, strict=False) if is_allowed is True)
    return RobotsAnswer(delay=float(delay) if isinstance(delay, int | float) else 0.0, allowed=allowed)


def read_sitemap(path: Path) -> list[tuple[str, str]]:
    """`page` or `sitemap`, and the address, of each entry. Raises `UnreadableDocument` for what is no sitemap."""
    found = []
    for value in confined_call(_SITEMAP, path, arguments={}):
        kind, address = value if isinstance(value, list) and len(value) == 2 else ("", "")
        clean = normalise(address) if isinstance(address, str) else None
        if kind in ("page", "sitemap") and clean:
            found.append((kind, clean))
    return found


def _normalised(links: object) -> tuple[str, ...]:
    texts = [one for one in links if isinstance(one, str)] if isinstance(links, list) else []
    return tuple(dict.fromkeys(clean for one in texts if (clean := normalise(one))))
