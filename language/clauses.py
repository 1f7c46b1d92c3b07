"""The clauses of a sentence, as far as marks and small words show them, and the statements it puts together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from language.cache_sizes import CACHED_SENTENCES
from language.content_words import content_stems
from language.lazy_pattern import lazy_pattern

# Words that open a clause of their own, whatever follows.
_CLAUSE_BREAK = lazy_pattern(
    r"[;:|\n]|\s[–—-]\s|[.!?](?=\s)|[()]"
    r"|\b(?:but|however|while|whilst|whereas|although|though|unless|except|excluding|without|if|when|where|whenever|because"
    r"|since|which|who|whom|whose|until|otherwise|provided|yet|rather\s+than|instead\s+of|other\s+than|apart\s+from)\b"
    r"|\bonly\s+(?:if|when|with|where|after|once)\b|(?:,\s*|\s)(?:and\s+|or\s+)?(?=not\s+(?:by|for|to|in|on|the|a|an|from)\b)",
    re.IGNORECASE,
)
# Commas and conjunctions open one only where a predicate stands on both sides.
_SOFT_BREAK = re.compile(r",\s|\s(?:and|or|nor)\s", re.IGNORECASE)
_PREDICATE = lazy_pattern(
    r"\b(?:is|are|was|were|be|been|am|shall|must|may|might|can|cannot|could|will|would|should|has|have|had|does|do|did"
    r"|needs?|requires?|covers|applies|apply|becomes?|remains?|lasts?|consists?|contains?|includes?"
    r"|provides?|pays?|gives?|makes?|takes?|begins?|ends|expires?|allows?|offers?|reaches|reduces|increases|causes"
    r"|boils?|stands?|runs?|gets?|goes|keeps?|holds?|uses)\b|n['’]t\b",
    re.IGNORECASE,
)

# Where a sentence that says several things may be taken apart, at so many places at most.
_CONJUNCTION = re.compile(r"\s*;\s+|,?\s+(?:and|but|while|whilst|whereas)\s+", re.IGNORECASE)
_MAX_CUTS = 5
_SUBJECT_BREAK = re.compile(r",\s+(?:(?:and|or)\s+)?|\s(?:and|or)\s+", re.IGNORECASE)
# So many things a claim may say the same of.
_MAX_SUBJECTS = 4

ClauseSpan = tuple[int, int]


@lru_cache(maxsize=CACHED_SENTENCES)
def clause_spans(text: str) -> tuple[ClauseSpan, ...]:
    """`(start, end)` of each clause, in order; together they are the text."""
    edges = [0, *(cut for match in _CLAUSE_BREAK.finditer(text) if (cut := match.start())), len(text)]
    return tuple(
        span for start, end in pairwise(edges) for span in _split_at_soft_breaks(text, start, end) if start < end
    )


def _split_at_soft_breaks(text: str, start: int, end: int) -> list[ClauseSpan]:
    cuts = [match.start() for match in _SOFT_BREAK.finditer(text, start, end)]
    if not cuts:
        return [(start, end)]
    merged: list[ClauseSpan] = []
    is_complete = False  # the last merged piece has a predicate
    for piece in pairwise([start, *cuts, end]):
        has_own = has_predicate(text, piece)
        if merged and not (is_complete and has_own):
            merged[-1] = (merged[-1][0], piece[1])
            is_complete = is_complete or has_own
        else:
            merged.append(piece)
            is_complete = has_own
    return merged


def clauses(text: str) -> list[str]:
    """The clauses of the text, each once."""
    return list(dict.fromkeys(text[start:end] for start, end in clause_spans(text)))


def has_predicate(text: str, span: ClauseSpan | None = None) -> bool:
    """Whether the text, or this clause of it, has a predicate."""
    return _PREDICATE.search(text, *(span or (0, len(text)))) is not None


def text_before_predicate(text: str) -> str:
    """What stands before the first auxiliary or common verb; all of it where there is none."""
    found = _PREDICATE.search(text)
    return text[: found.start()] if found else text


def split_subject(claim: str) -> list[str]:
    """What a claim says of several things, of each of them: "A beam has 45 mm" and "a column has 45 mm". Empty where it
    speaks of one."""
    subject = text_before_predicate(claim)
    things = [one.strip() for one in _SUBJECT_BREAK.split(subject) if content_stems(one)]
    if subject == claim or not 1 < len(things) <= _MAX_SUBJECTS:
        return []
    return [f"{thing} {claim[len(subject) :]}" for thing in things]


def claim_splits(claim: str) -> Iterator[list[str]]:
    """Ways to read the claim as several: at every conjunction, then at each alone. Every part has a subject."""
    cuts = [match.span() for match in _CONJUNCTION.finditer(claim)][:_MAX_CUTS]
    ways = [cuts] if cuts else []
    ways += [[cut] for cut in cuts] if len(cuts) > 1 else []
    for way in ways:
        if parts := _self_contained_parts(claim, way):
            yield parts


def _self_contained_parts(claim: str, cuts: list[tuple[int, int]]) -> list[str]:
    starts = [0, *(end for _, end in cuts)]
    ends = [*(start for start, _ in cuts), len(claim)]
    first, *others = pieces = [claim[start:end].strip() for start, end in zip(starts, ends, strict=True)]
    if any(len(content_stems(piece)) < 2 and not any(map(str.isdigit, piece)) for piece in pieces):
        return []
    completed = [_with_shared_subject(other, first) for other in others]
    return [first, *completed] if all(completed) else []


def _with_shared_subject(part: str, first: str) -> str:
    """The part with the subject of the first one, or with the condition that opens it; empty where that fails."""
    subject, own = text_before_predicate(first), text_before_predicate(part)
    if subject == first:
        return part if own.strip() and own != part else ""
    if own == part:  # "45 mm in severe exposure"
        predicate = first[len(subject) :].split(maxsplit=1)[0]
        return f"{subject}{predicate} {part}"
    if not own.strip():  # "must be galvanised"
        return f"{subject}{part}"
    condition, comma, _ = subject.rpartition(",")
    return f"{condition}{comma} {part}" if comma else part
