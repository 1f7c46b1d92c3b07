"""The links of a web page, and its instructions for robots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from lxml import etree

from knowledge.readers.html import parse_html
from knowledge.readers.types import UnreadableDocument

MAX_LINKS = 2_000
_MAX_URL_LENGTH = 2_000


def read_links(path: Path, pages: Sequence[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    """Of each page, a file and its address, in this order: `links`, whether it `hasMoreLinks` than are followed,
    whether it `isHidden` from search engines, and whether it `asksForPassword`. A page that cannot be parsed has no
    links. `path` is not read."""
    for file, address in pages:
        try:
            yield _describe_page(parse_html(Path(file).read_bytes()), address)
        except UnreadableDocument:
            yield {"links": [], "hasMoreLinks": False, "isHidden": False, "asksForPassword": False}


def _describe_page(root: etree._Element, address: str) -> dict[str, Any]:
    rules = _robots_rules(root)
    follows = not rules & {"nofollow", "none"}
    links = list(islice(_links(root, address), MAX_LINKS + 1)) if follows else []
    return {
        "links": links[:MAX_LINKS],
        "hasMoreLinks": len(links) > MAX_LINKS,
        "isHidden": bool(rules & {"noindex", "none"}),
        "asksForPassword": any(one.get("type", "").lower() == "password" for one in root.iter("input")),
    }


def _robots_rules(root: etree._Element) -> set[str]:
    named = [one for one in root.iter("meta") if one.get("name", "").strip().lower() in ("robots", "lexic")]
    return {word.strip() for one in named for word in one.get("content", "").lower().split(",")}


def _links(root: etree._Element, address: str) -> Iterator[str]:
    base = next((one.get("href") for one in root.iter("base") if one.get("href")), "")
    place = _join(address, base) or address
    seen: set[str] = set()
    for anchor in root.iter("a", "area"):
        if "nofollow" in anchor.get("rel", "").lower().split():
            continue
        target = _join(place, anchor.get("href", ""))
        if target and target not in seen:
            seen.add(target)
            yield target


def _join(place: str, href: str) -> str:
    """Empty for what is no address of the web."""
    try:
        joined = urljoin(place, href.strip()) if href.strip() else ""
    except ValueError:
        return ""
    return joined if joined.startswith(("http://", "https://")) and len(joined) <= _MAX_URL_LENGTH else ""
