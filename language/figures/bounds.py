"""At least or at most: which way a sentence bounds what it speaks of.

"Not less than 45 mm" states a minimum and denies nothing, so the "not" in it belongs to the bound.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from language.bound_words import (
    AT_LEAST,
    AT_MOST,
    BOUND_PHRASES,
    DOWNWARD,
    LESS_THAN,
    LIMIT_PHRASES,
    MORE_THAN,
    UPWARD,
)
from language.cache_sizes import CACHED_SENTENCES
from language.lazy_pattern import lazy_pattern
from language.number_words import NUMBER_WORD_PATTERN

_NEGATED_DIRECTIONS = {LESS_THAN: AT_LEAST, MORE_THAN: AT_MOST}
_PLACE_WORDS = frozenset({"below", "under", "beneath", "above", "over", "beyond", "within"})
_NUMBER_AHEAD = lazy_pattern(
    rf"\n?[^.;:|\n\d]{{0,12}}?(?:\d|[$€£₹]|\b(?:{NUMBER_WORD_PATTERN}|half)\b)",
    re.IGNORECASE,
)

# Signs and short forms, which stand beside the phrases.
_SIGNS = {
    LESS_THAN: r"<(?![=-])",
    MORE_THAN: r"(?<![-=])>(?!=)",
    AT_LEAST: r"min\.|[≥⩾]|>=",
    AT_MOST: r"max\.?|[≤⩽]|<=",
}


def _cue_pattern(direction: str) -> str:
    said = (phrase for phrase, bound in {**BOUND_PHRASES, **LIMIT_PHRASES}.items() if bound == direction)
    longest_first = sorted(said, key=lambda phrase: (-len(phrase), phrase))
    return "|".join([*(phrase.replace(" ", r"\s+") for phrase in longest_first), _SIGNS[direction]])


_DIRECTION_BY_GROUP = dict(zip("abcd", (AT_LEAST, AT_MOST, LESS_THAN, MORE_THAN), strict=True))
_CUE = lazy_pattern(
    lambda: "|".join(rf"(?P<{name}>{_cue_pattern(bound)})" for name, bound in _DIRECTION_BY_GROUP.items()),
    re.IGNORECASE,
)
# "45 mm or more", "18 and over": the cue stands behind what it bounds.
_TRAILING_BOUND = lazy_pattern(
    r"[ ]?(?:(?:or|and|nor)[ ](?:"
    rf"(?P<up>{'|'.join(sorted(UPWARD - {'up'}))}|up(?![ ]to\b)|after)"
    rf"|(?P<down>{'|'.join(sorted(DOWNWARD))}|before)"
    r")\b|\(?(?:at[ ]least|(?:as[ ])?(?:a[ ]|the[ ])?(?P<least>minimum|min\b))|\+(?!\w)"
    r"|\(?(?P<most>at[ ]most|(?:as[ ])?(?:a[ ]|the[ ])?(?:maximum|max\b))(?![ ]of))",
    re.IGNORECASE,
)
_NEGATOR = re.compile(
    r"(?:\b(?:not|no|never|neither|nor|cannot)\b|n['’]t\b)(?P<between>(?:[ \n][\w-]{1,20}){0,6}?)[ \n]?$", re.IGNORECASE
)
# Words that open something new: a "not" before them does not reach the bound behind them.
_CLAUSE_OPENER = re.compile(
    r"\b(?:if|when|where|unless|that|which|who|and|but|because|by|with|within|at|until|except|for)\b", re.IGNORECASE
)
_NEGATOR_REACH = 70


@dataclass(frozen=True)
class Bound:
    """`text[start:end]` says `direction` (">=", ">", "<=" or "<"). `negator` is the "not" that belongs to it."""

    start: int
    end: int
    direction: str
    negator: tuple[int, int] | None = None

    @property
    def is_upward(self) -> bool:
        return self.direction in (AT_LEAST, MORE_THAN)


@lru_cache(maxsize=CACHED_SENTENCES)
def find_bounds(text: str) -> tuple[Bound, ...]:
    """Every bound the text states, in order."""
    return tuple(_read_bound(text, cue) for cue in _CUE.finditer(text) if _is_bound(text, cue))


def _is_bound(text: str, cue: re.Match[str]) -> bool:
    starts = not cue.group()[0].isalpha() or cue.start() == 0 or not text[cue.start() - 1].isalnum()
    ends = not cue.group()[-1].isalpha() or cue.end() == len(text) or not text[cue.end()].isalnum()
    if not (starts and ends):
        return False
    # "Under the beam" is a place; "under 45 mm" is a bound.
    return cue.group().lower() not in _PLACE_WORDS or _NUMBER_AHEAD.match(text, cue.end()) is not None


def _read_bound(text: str, cue: re.Match[str]) -> Bound:
    direction = _DIRECTION_BY_GROUP[cue.lastgroup or "a"]
    if direction in _NEGATED_DIRECTIONS:
        before = max(0, cue.start() - _NEGATOR_REACH)
        negator = _NEGATOR.search(text[before : cue.start()])
        if negator and not _CLAUSE_OPENER.search(negator["between"]):
            place = (before + negator.start(), before + negator.start("between"))
            return Bound(cue.start(), cue.end(), _NEGATED_DIRECTIONS[direction], place)
    return Bound(cue.start(), cue.end(), direction)


def trailing_bound(text: str, end: int) -> str:
    """The bound that stands right behind what ends at `end`; empty when there is none."""
    found = _TRAILING_BOUND.match(text, end)
    if not found:
        return ""
    return AT_MOST if found["down"] or found["most"] else AT_LEAST


def trailing_bound_end(text: str, end: int) -> int:
    """Where the bound right behind `end` ends; `end` itself where there is none."""
    found = _TRAILING_BOUND.match(text, end)
    return found.end() if found else end


def without_bounds(text: str) -> str:
    """The text of the same length with each bound, and the "not" that is part of it, blanked out."""
    bounds = find_bounds(text)
    return blank_spans(text, [*((b.start, b.end) for b in bounds), *(b.negator for b in bounds if b.negator)])


def blank_spans(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text of the same length with blanks at these places; of places that overlap the first one counts."""
    pieces, at = [], 0
    for start, end in sorted(set(spans)):
        if start >= at:
            pieces += [text[at:start], " " * (end - start)]
            at = end
    return "".join([*pieces, text[at:]])
