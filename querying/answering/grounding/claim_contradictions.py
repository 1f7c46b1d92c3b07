"""Opposites: words by which two sentences that look alike say different things.

Each check finds a claim that says one where its source says only the other. Where the source says both, or
neither, nothing is found.
"""

from __future__ import annotations

import re
from functools import lru_cache

from language.clauses import fails_nearest_clause
from language.figures.bounds import find_bounds
from language.figures.figure_extraction import extract_figures
from language.opposites import contradictory_words, opposite_words, opposites_of
from language.terms import terms

_LOWERCASE_WORD = re.compile(r"[a-z]{2,30}")
_MORE_OR_LESS = re.compile(
    r"\b(?P<which>more|greater|higher|less|fewer|lower)\s+(?!than\b)(?P<of>[a-z]{3,30}(?:\s+(?!and\b|or\b|than\b)[a-z]{3,30})?)",
    re.IGNORECASE,
)
_SIDE_PREFIX = re.compile(r"\b(?P<side>in|out-of|out of|on|off|pre|post|over|under)-(?P<of>[a-z]{3,30})\b")
_NEGATING_PREFIXES = ("un", "non", "dis")
_ADJECTIVE_PREFIXES = ("in", "im", "il", "ir", "mis")
_ADJECTIVE = re.compile(
    r"\w+(?:able|ible|ent|ant|ate|ive|ect|ite|id|al|ar|ous|ed|ful|ory|ary|ate|safe|fair|like|ible)$"
)


_PERIOD_BY_ADVERB = {"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month", "quarterly": "quarter"}
_PERIOD_BY_ADVERB |= {"yearly": "year", "annual": "year", "annually": "year", "nightly": "night"}
_PERIOD_NAMES = frozenset(_PERIOD_BY_ADVERB.values())
# Small words that stemming drops, and what says the same.
_EQUIVALENT_WORDS = {
    "before": frozenset(["prior", "until", "previously", "earlier", "beforehand"]),
    "after": frozenset(["following", "upon", "once", "later", "subsequently"]),
    "over": frozenset(["above", "exceeding", "exceed", "exceeds"]),
    "under": frozenset(["below", "beneath"]),
    "above": frozenset(["over", "exceeding", "exceed", "exceeds"]),
    "below": frozenset(["under", "beneath"]),
    "always": frozenset(["all", "every", "times"]),
}


@lru_cache(maxsize=4096)
def lowercase_words(text: str) -> frozenset[str]:
    return frozenset(_LOWERCASE_WORD.findall(text.lower()))


def find_opposite(word: str, said: frozenset[str]) -> str:
    """A word of the source that is the contrary of this one, or of its class (Monday, Friday); "" when none is."""
    known = sorted(opposite_words(word) & said)
    return next((other for other in (*known, *_affix_variants(word)) if other in said), "")


def contradicts(claim: str, source: str) -> bool:
    """Whether the claim has a word of which the source has only the contrary, or a stronger or weaker sense."""
    return (
        _has_opposite_word(claim, source)
        or fails_nearest_clause(_has_opposite_word, claim, source)
        or _reverses_bounds(claim, source)
        or any(sides - _side_prefixes(source).get(of, sides) for of, sides in _side_prefixes(claim).items())
        or _reverses_comparison(claim, source)
        or _changes_recurrence(claim, source)
    )


def _changes_recurrence(claim: str, source: str) -> bool:
    """ "Monthly" where the source speaks of years and not of months."""
    periods = {_PERIOD_BY_ADVERB.get(word, word.removesuffix("s")) for word in lowercase_words(source)}
    periods &= _PERIOD_NAMES
    mine = {_PERIOD_BY_ADVERB[word] for word in lowercase_words(claim) if word in _PERIOD_BY_ADVERB}
    return bool(mine and periods) and not mine <= periods


def has_known_opposite(word: str) -> bool:
    """Whether the word has a known contrary, or is one of a class that exclude each other."""
    return bool(opposite_words(word)) or any(opposites_of(stem) for stem in terms(word))


def _reverses_comparison(claim: str, source: str) -> bool:
    """ "More time waiting" where the source has more of something else and less of that."""
    (more, less), (their_more, their_less) = _compared_stems(claim), _compared_stems(source)
    return bool((more & their_less) - their_more - less or (less & their_more) - their_less - more)


@lru_cache(maxsize=4096)
def _compared_stems(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The stems right behind "more" and those right behind "less", without "than"."""
    found: tuple[set[str], set[str]] = (set(), set())
    for match in _MORE_OR_LESS.finditer(text):
        found[0 if match["which"].lower() in ("more", "greater", "higher") else 1].update(terms(match["of"]))
    return frozenset(found[0]), frozenset(found[1])


@lru_cache(maxsize=4096)
def _side_prefixes(text: str) -> dict[str, set[str]]:
    """ "In-network" as network: {in}, "out-of-network" as network: {out of}."""
    found: dict[str, set[str]] = {}
    for match in _SIDE_PREFIX.finditer(text.lower()):
        found.setdefault(match["of"], set()).add(match["side"].replace("-", " "))
    return found


def contradictory_stems(claim: str, source: str) -> frozenset[str]:
    """Stems of the claim's words whose contradictory the source has instead; see `negation.reverses_polarity`."""
    mine, theirs = lowercase_words(claim), lowercase_words(source)
    found = [word for word in mine - theirs if contradictory_words(word) & (theirs - mine)]
    return frozenset(stem for word in found for stem in terms(word))


def _has_opposite_word(claim: str, source: str) -> bool:
    mine, theirs = lowercase_words(extract_figures(claim).words), lowercase_words(extract_figures(source).words)
    added = frozenset(
        word
        for word in mine - theirs
        if not (contradictory_words(word) | _EQUIVALENT_WORDS.get(word, frozenset())) & theirs
    )
    if any(find_opposite(word, theirs - mine) for word in added):
        return True
    dropped = frozenset(terms(" ".join(theirs - mine))) - set(terms(" ".join(mine)))
    known = set(terms(source))
    return any(opposites_of(stem) & dropped for word in added for stem in terms(word) if stem not in known)


@lru_cache(maxsize=16_384)
def _affix_variants(word: str) -> tuple[str, ...]:
    """The words that this one would be with such a beginning or ending, or without it. Not all of them exist."""
    found = []
    for prefix in (*_NEGATING_PREFIXES, *_ADJECTIVE_PREFIXES):
        bare = word.removeprefix(prefix)
        for short, long in ((word, prefix + word), (bare, word)):
            if len(short) >= 4 and len(long) > len(short) and (prefix in _NEGATING_PREFIXES or _ADJECTIVE.match(short)):
                found += [short, long]
    for one, other in (("hyper", "hypo"), ("hypo", "hyper")):
        found += [other + word.removeprefix(one)] if word.startswith(one) else []
    for one, other in (("less", "ful"), ("ful", "less")):
        found += [word.removesuffix(one) + other] if word.endswith(one) else []
    return tuple(other for other in found if other != word)


def _reverses_bounds(claim: str, source: str) -> bool:
    """Both bound something, and in different directions only."""
    mine = {bound.is_upward for bound in find_bounds(claim)}
    theirs = {bound.is_upward for bound in find_bounds(source)}
    return bool(mine and theirs) and not mine & theirs
