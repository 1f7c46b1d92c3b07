"""Duty and leave, all and some, "only" and "very": small words that make a statement stronger or weaker."""

from __future__ import annotations

import re

from knowledge.terms import terms
from querying.verify.clauses import fails_nearest_clause

_DUTY = re.compile(
    r"\b(?:must|shall|has\s+to|have\s+to|required?|requires|mandatory|obligatory|compulsory|obliged|needs?\s+to)\b",
    re.I,
)
_LEAVE = re.compile(
    r"\b(?:may|might|can|could|optional|optionally|permitted|allowed|voluntary|voluntarily|free\s+to)\b", re.I
)
_NO_LEAVE = re.compile(r"\b(?:not|never)\s+(?:be\s+)?(?:optional|voluntary)\b", re.I)
_NO_DUTY = re.compile(
    r"\b(?:not|never)\s+(?:be\s+)?(?:required|mandatory|obligatory|compulsory|obliged)\b|\bneed\s+not\b"
    r"|\b(?:not|n['’]t)\s+(?:need|have)\s+to\b",
    re.I,
)
_ADVICE = re.compile(r"\b(?:should|recommended|recommends?|advisable|advised|ideally|preferably)\b", re.I)
_ALL = re.compile(r"\b(?:all|every|each|always|any|entirely|completely|invariably)\b", re.I)
_SOME = re.compile(
    r"\b(?:some|several|certain|sometimes|occasionally|often|usually|generally|typically|many|most|mostly|few|rarely|partly"
    r"|normally|frequently)\b",
    re.I,
)
_ONLY = re.compile(r"\b(?:only|solely|exclusively|nothing\s+but|no\s+other)\b(?!\s+(?:a\s+)?\d)", re.I)
_AS_ONLY = re.compile(
    r"\b(?:only|solely|exclusively|alone|no\s+other|unless|except|not|no|nobody|none|sole|limited)\b", re.I
)
_INTENSE = re.compile(r"\b(?:very|extremely|highly|semi|partly|nearly|almost)[ -]([a-z]{3,30})")
_WORD = re.compile(r"[a-z]{2,30}")


def says_more(claim: str, source: str) -> bool:
    """Whether the claim makes a duty of leave, all of some, one class of another; or a duty's leave."""
    return fails_nearest_clause(_modality, claim, source) or _measure(claim, source) or _intensity(claim, source)


def _has(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.search(text) is not None


def _modality(claim: str, source: str) -> bool:
    """A duty where the source gives leave or advice; leave where it makes a duty."""
    claim, source = _plainly(claim), _plainly(source)
    duty, leave = _has(_DUTY, claim), _has(_LEAVE, claim)
    their_duty, their_leave, their_advice = _has(_DUTY, source), _has(_LEAVE, source), _has(_ADVICE, source)
    if duty and not leave and not their_duty and (their_leave or their_advice):
        return not _is_forbidding(claim, source)
    return leave and not duty and their_duty and not their_leave and not _is_forbidding(claim, source)


def _plainly(text: str) -> str:
    """ "Not optional" is a duty, "not required" is leave."""
    return _NO_DUTY.sub("optional", _NO_LEAVE.sub("mandatory", text))


def _is_forbidding(claim: str, source: str) -> bool:
    """ "May not" and "must not" are one."""
    denial = re.compile(r"\b(?:not|no|never|cannot|nor)\b|n['’]t\b", re.IGNORECASE)
    return _has(denial, claim) and _has(denial, source)


def _measure(claim: str, source: str) -> bool:
    """All where the source says some; "only" where it does not."""
    if _has(_ALL, claim) and not _has(_SOME, claim) and _has(_SOME, source) and not _has(_ALL, source):
        return True
    if _counted(_ALL, claim) & (_counted(_SOME, source) - _counted(_ALL, source)):
        return True
    return _has(_ONLY, claim) and not _has(_AS_ONLY, source)


def _counted(pattern: re.Pattern[str], text: str) -> frozenset[str]:
    """The stems that the words of the pattern stand right before: "all bolts"."""
    following = (_WORD.search(text.lower(), match.end(), match.end() + 32) for match in pattern.finditer(text))
    return frozenset(stem for match in following if match for stem in terms(match.group()))


def _intensity(claim: str, source: str) -> bool:
    """ "Very severe" exposure is a class of its own, and not "severe" exposure."""
    (mine, plain), (theirs, their_plain) = _intense(claim), _intense(source)
    return bool((mine - plain) & (their_plain - theirs) or (theirs - their_plain) & (plain - mine))


def _intense(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words with "very" and the like before them, and those without."""
    lowered = text.lower()
    return frozenset(_INTENSE.findall(lowered)), frozenset(_WORD.findall(_INTENSE.sub(" ", lowered)))
