"""An answer as people read it: its text with links to the sources, and where each source can be opened."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any
from urllib.parse import urlsplit

from querying.answering.citation_styles import CITATION_MARK
from querying.models import Query

_PUNCTUATION = re.compile(r"[.,;:!?]{1,3}")


@dataclass(frozen=True, kw_only=True)
class SourceLink:
    """A citation of an answer. `address` opens its page here, whatever the public address of the site is."""

    id: str
    document: str
    place: str
    excerpt: str
    address: str


@dataclass(frozen=True, kw_only=True)
class TextPiece:
    """Text, or the mark of a source when `source` is its number."""

    text: str
    source: int | None = None


def source_links(citations: Sequence[Mapping[str, Any]]) -> list[SourceLink]:
    """The citations of an answer, from their JSON."""
    return [
        SourceLink(
            id=str(citation.get("id", "")),
            document=str(citation.get("document", "")),
            place=_place_text(citation),
            excerpt=str(citation.get("excerpt", "")),
            address=_local_path(str(citation.get("url", ""))),
        )
        for citation in citations
    ]


def text_pieces(text: str, *, count: int) -> Iterator[TextPiece]:
    """The text, cut at the marks of the first `count` sources. What only looks like a mark stays text."""
    parts = CITATION_MARK.split(text)
    for position, part in enumerate(parts):
        is_mark = position % 2 == 1
        if is_mark and 1 <= int(part) <= count:
            yield TextPiece(text=part, source=int(part))
        elif is_mark:
            yield TextPiece(text=f"[Source {part}]")
        elif part:
            yield TextPiece(text=part)


def with_bullets(text: str) -> str:
    """The text with the dashes of a list as bullets, which people read."""
    return text.replace("\n- ", "\n• ")


def attach_marks(pieces: Iterable[TextPiece]) -> list[TextPiece]:
    """A chip stands at the word before it, without the space that the text has there, and after a full stop."""
    found = list(_marks_after_punctuation(pieces))
    return [
        replace(piece, text=piece.text.rstrip(" ")) if after and (after.source or _is_punctuation(after)) else piece
        for piece, after in zip_longest(found, found[1:])
    ]


def _is_punctuation(piece: TextPiece) -> bool:
    return _PUNCTUATION.fullmatch(piece.text) is not None


def _marks_after_punctuation(pieces: Iterable[TextPiece]) -> Iterator[TextPiece]:
    """A stop that follows chips comes before them."""
    chips: list[TextPiece] = []
    for piece in pieces:
        if piece.source is not None:
            chips.append(piece)
            continue
        stop = _PUNCTUATION.match(piece.text) if chips else None
        if stop:
            yield TextPiece(text=stop[0])
        yield from chips
        chips = []
        yield replace(piece, text=piece.text[stop.end() :]) if stop else piece
    yield from chips


def path_steps(path: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """What each node was about, and what was known or decided there."""
    return [
        (str(step.get("label") or step.get("node", "")), str(step.get("result") or step.get("value", "")))
        for step in path
    ]


def _place_text(citation: Mapping[str, Any]) -> str:
    page = f"page {citation['page']}" if citation.get("page") else ""
    section = str(citation.get("section") or "")
    # A note's only heading is often its title once more.
    return ", ".join(part for part in (page, section) if part and part != citation.get("document"))


def _local_path(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def confidence_reasons(query: Query) -> str:
    """How the confidence of an answer came about, in a sentence: the rules of the guard, told."""
    places = len({(c.get("documentId"), c.get("start"), c.get("end")) for c in query.citations})
    reasons = [_COUNT_PHRASES.get(places, f"{places} places bear it out")]
    if query.reason in _WEAKNESS_PHRASES:
        reasons.append(f"one step down because {_WEAKNESS_PHRASES[query.reason]}")
    if query.decided_node and places:
        reasons.append("one step up because the tree decided with all its facts given")
    return f"{'; '.join(reasons)}."


_COUNT_PHRASES = {
    0: "no source bears it out",
    1: "one place bears it out",
    2: "two places bear it out",
    3: "three places bear it out",
}
_WEAKNESS_PHRASES = {
    "conflicting_sources": "sources contradict each other",
    "unsupported_number": "a number in it stands in no source it cites",
    "phantom_citations": "it named a source that was not read",
    "self_refusal": "it says itself that it does not know",
}
