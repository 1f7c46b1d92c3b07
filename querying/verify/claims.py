"""A sentence that says several things, taken apart so that each can be held against a source of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator

from querying.verify.clauses import before_predicate
from querying.verify.generic import content

_CUT = re.compile(r"\s*;\s+|,?\s+(?:and|but|while|whilst|whereas)\s+", re.IGNORECASE)
_MOST_CUTS = 5


def splittings(claim: str) -> Iterator[list[str]]:
    """Ways to read the claim as several: at every conjunction, then at each alone. Every part has a subject."""
    cuts = [match.span() for match in _CUT.finditer(claim)][:_MOST_CUTS]
    ways = [cuts] if cuts else []
    ways += [[cut] for cut in cuts] if len(cuts) > 1 else []
    for way in ways:
        if parts := _parts(claim, way):
            yield parts


def _parts(claim: str, cuts: list[tuple[int, int]]) -> list[str]:
    starts = [0, *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), len(claim)]
    first, *others = pieces = [claim[start:end].strip() for start, end in zip(starts, ends, strict=True)]
    if not all(_says_something(piece) for piece in pieces):
        return []
    completed = [_completed(other, first) for other in others]
    return [first, *completed] if all(completed) else []


def _says_something(part: str) -> bool:
    return len(content(part)) >= 2 or any(character.isdigit() for character in part)


def _completed(part: str, first: str) -> str:
    """The part with the subject of the first one, or with the condition that opens it; empty where that fails."""
    subject = before_predicate(first)
    if subject == first:
        return ""
    own = before_predicate(part)
    if own == part:  # "45 mm in severe exposure"
        predicate = first[len(subject) :].split(maxsplit=1)[0]
        return f"{subject}{predicate} {part}"
    if not own.strip():  # "must be galvanised"
        return f"{subject}{part}"
    condition, comma, _ = subject.rpartition(",")
    return f"{condition}{comma} {part}" if comma else part
