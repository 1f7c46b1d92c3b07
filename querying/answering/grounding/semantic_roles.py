"""Who does what to whom: "A pays B" is not "B pays A", though they have every word in common."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain, combinations, islice

from language.figures.figure_extraction import extract_figures
from language.terms import terms

_TOKEN = re.compile(r"[^\W\d_][\w'’-]{0,40}|[,;:.!?()|\n]")
# Small words that stand before a noun whatever its part in the sentence, and auxiliaries.
_SKIPPED_WORDS = """
the a an its their his her our your this these that each any every all some no not also then both such said own
shall must may will can should would could does do did is are was were be been being has have had to
"""
_SKIPPED = frozenset(_SKIPPED_WORDS.split())
# What opens a clause: the word behind it is most likely its subject.
_CLAUSE_OPENING_WORDS = """
because if when while whilst whereas as although though since until unless that which where who
"""
_CLAUSE_OPENERS = frozenset(_CLAUSE_OPENING_WORDS.split())
_CLAUSE_START, _COORDINATED = "^", "&"
_COORDINATORS = frozenset(["and", "or", "nor", "but"])


_FROM_TO = re.compile(r"\bfrom\s+([^.;:]{2,80}?)\s+to\s+([^.;:]{2,80})", re.IGNORECASE)
_COMPARATIVE_THAN = re.compile(
    r"([^.;:,]{2,80}?)\b(?:more|less|fewer|[a-z]{3,12}er)\b[^.;:,]{0,30}?\bthan\b([^.;:,]{2,80})", re.IGNORECASE
)
_PASSIVE = re.compile(
    r"\b(?:is|are|was|were|be|been|being)\s+(?:\w{2,20}ly\s+)?(?P<verb>\w{3,20}ed)\b(?!\s+by\b)", re.IGNORECASE
)
# A noun, a verb in the past tense, and another noun: not "schools funded by", nor "was funded".
_ACTIVE = re.compile(
    r"\b(?!(?:is|are|was|were|be|been|being|has|have|had|not|and|or|as|newly|\w{2,20}ly)\s)(?P<subject>[a-z]{3,30})\s+"
    r"(?P<verb>\w{3,20}ed)\s+(?!by\b|to\b|in\b|on\b|at\b|for\b|from\b|with\b|under\b|as\b|and\b|or\b|that\b)[a-z]",
    re.IGNORECASE,
)
# Pairs are compared, so their number is bounded; no sentence has so many words out of place.
_MAX_PAIRED_WORDS = 60
_MAX_DIRECTIONS = 8

# So far before its verb a subject is looked for.
_SUBJECT_REACH = 80


def swaps_roles(claim: str, source: str) -> bool:
    """Two words have changed places: each stands behind what the source has the other behind, and never itself."""
    if _turns_patient_into_agent(claim, source) or _reverses_direction(claim, source):
        return True
    mine, theirs = _preceding_words(claim), _preceding_words(source)
    moved = {
        word: new
        for word, places in mine.items()
        if word in theirs and (new := places - theirs[word] - {_COORDINATED}) and len(places) == 1
    }
    return any(
        moved[one] <= theirs[other] and moved[other] <= theirs[one]
        for one, other in combinations(list(moved)[:_MAX_PAIRED_WORDS], 2)
    )


def _reverses_direction(claim: str, source: str) -> bool:
    """ "From weekly to monthly" where the source says "from monthly to weekly"."""
    return any(
        len(a & there) > len(a & here) and len(b & here) > len(b & there)
        for a, b in _direction_pairs(claim)
        for here, there in _direction_pairs(source)
    )


@lru_cache(maxsize=4096)
def _direction_pairs(text: str) -> list[tuple[frozenset[str], frozenset[str]]]:
    found = chain(_FROM_TO.finditer(text), _COMPARATIVE_THAN.finditer(text))
    return [(frozenset(terms(match[1])), frozenset(terms(match[2]))) for match in islice(found, _MAX_DIRECTIONS)]


def _turns_patient_into_agent(claim: str, source: str) -> bool:
    """ "Schools funded agencies" where the source says that schools were funded."""
    active = [(terms(match["subject"]), terms(match["verb"])) for match in _ACTIVE.finditer(claim)]
    if not active or _ACTIVE.search(source):
        return False
    undergone = {
        (subject, verb)
        for match in islice(_PASSIVE.finditer(source), _MAX_PAIRED_WORDS)
        for verb in terms(match["verb"])
        for subject in terms(source[max(0, match.start() - _SUBJECT_REACH) : match.start()])
    }
    return any((subject, verb) in undergone for subjects, verbs in active for subject in subjects for verb in verbs)


@lru_cache(maxsize=4096)
def _preceding_words(text: str) -> dict[str, frozenset[str]]:
    """Each content word with what it stands behind: a word, the beginning of a clause, an "and"."""
    found: dict[str, frozenset[str]] = {}
    before = _CLAUSE_START
    for token in _TOKEN.findall(extract_figures(text).words.lower()):
        if token in _SKIPPED or token.endswith("ly"):
            continue
        if token in _CLAUSE_OPENERS or not token[0].isalnum():
            before = _CLAUSE_START
        elif token in _COORDINATORS:
            before = _COORDINATED
        elif stems := terms(token):
            found[stems[-1]] = found.get(stems[-1], frozenset()) | {before}
            before = stems[-1]
        else:
            before = token
    return found
