"""An answer as people read it: its text with links to the sources, and where each source can be opened."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any
from urllib.parse import urlsplit

from querying.models import Query

_MARK = re.compile(r"\[Source (\d{1,6})\]")
_STOP = re.compile(r"[.,;:!?]{1,3}")


@dataclass(frozen=True, kw_only=True)
class Source:
    """A citation of an answer. `address` opens its page here, whatever the public address of the site is."""

    id: str
    document: str
    place: str
    excerpt: str
    address: str


@dataclass(frozen=True, kw_only=True)
class Piece:
    """Text, or the mark of a source when `source` is its number."""

    text: str
    source: int | None = None


def sources(citations: Sequence[Mapping[str, Any]]) -> list[Source]:
    """The citations of an answer, from their JSON."""
    return [
        Source(
            id=str(citation.get("id", "")),
            document=str(citation.get("document", "")),
            place=_place(citation),
            excerpt=str(citation.get("excerpt", "")),
            address=_here(str(citation.get("url", ""))),
        )
        for citation in citations
    ]


def pieces(text: str, *, count: int) -> Iterator[Piece]:
    """The text, cut at the marks of the first `count` sources. What only looks like a mark stays text."""
    parts = _MARK.split(text)
    for position, part in enumerate(parts):
        is_mark = position % 2 == 1
        if is_mark and 1 <= int(part) <= count:
            yield Piece(text=part, source=int(part))
        elif is_mark:
            yield Piece(text=f"[Source {part}]")
        elif part:
            yield Piece(text=part)


def bulleted(text: str) -> str:
    """The text with the dashes of a list as bullets, which people read."""
    return text.replace("\n- ", "\n• ")


def set_close(pieces: Iterable[Piece]) -> list[Piece]:
    """A chip stands at the word before it, without the space that the text has there, and after a full stop."""
    found = list(_after_stops(pieces))
    return [
        replace(piece, text=piece.text.rstrip(" ")) if after and (after.source or _is_stop(after)) else piece
        for piece, after in zip_longest(found, found[1:])
    ]


def _is_stop(piece: Piece) -> bool:
    return _STOP.fullmatch(piece.text) is not None


def _after_stops(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """A stop that follows chips comes before them."""
    chips: list[Piece] = []
    for piece in pieces:
        if piece.source is not None:
            chips.append(piece)
            continue
        stop = _STOP.match(piece.text) if chips else None
        if stop:
            yield Piece(text=stop[0])
        yield from chips
        chips = []
        yield replace(piece, text=piece.text[stop.end() :]) if stop else piece
    yield from chips


def steps(path: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """What each node was about, and what was known or decided there."""
    return [
        (str(step.get("label") or step.get("node", "")), str(step.get("result") or step.get("value", "")))
        for step in path
    ]


def _place(citation: Mapping[str, Any]) -> str:
    page = f"page {citation['page']}" if citation.get("page") else ""
    section = str(citation.get("section") or "")
    # A note's only heading is often its title once more.
    return ", ".join(part for part in (page, section) if part and part != citation.get("document"))


def _here(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def why_confident(query: Query) -> str:
    """How the confidence of an answer came about, in a sentence: the rules of the guard, told."""
    places = len({(c.get("documentId"), c.get("start"), c.get("end")) for c in query.citations})
    reasons = [_COUNTED.get(places, f"{places} places bear it out")]
    if query.reason in _LOWERED:
        reasons.append(f"one step down because {_LOWERED[query.reason]}")
    if query.reached and places:
        reasons.append("one step up because the tree decided with all its facts given")
    return f"{'; '.join(reasons)}."


_COUNTED = {
    0: "no source bears it out",
    1: "one place bears it out",
    2: "two places bear it out",
    3: "three places bear it out",
}
_LOWERED = {
    "conflicting_sources": "sources contradict each other",
    "unsupported_number": "a number in it stands in no source it cites",
    "phantom_citations": "it named a source that was not read",
    "self_refusal": "it says itself that it does not know",
}
