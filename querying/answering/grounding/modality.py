"""Modal verbs, quantifiers, "only" and "very": small words that make a statement stronger or weaker."""

from __future__ import annotations

import re

from language.clauses import clauses
from language.content_words import content_stems
from language.word_patterns import word_pattern

# No sentence has more clauses, or more of another that are equally near to one.
_MAX_CLAUSES, _MAX_NEAREST = 80, 8
_OBLIGATION = word_pattern(
    "must|shall|ha(?:s|ve) to|required?|requires|mandatory|obligatory|compulsory|obliged|needs? to"
)
_PERMISSION = word_pattern("may|might|can|could|optional|optionally|permitted|allowed|voluntary|voluntarily|free to")
_NEGATED_PERMISSION = word_pattern("(?:not|never) (?:be )?(?:optional|voluntary)")
_NEGATED_OBLIGATION = word_pattern(
    "(?:not|never) (?:be )?(?:required|mandatory|obligatory|compulsory|obliged)|need not|not (?:need|have) to"
)
_DENIAL = re.compile(r"\b(?:not|no|never|cannot|nor)\b|n['’]t\b", re.IGNORECASE)
_ADVICE = word_pattern("should|recommended|recommends?|advisable|advised|ideally|preferably")
_ALL_WORDS = word_pattern("all|every|each|always|any|entirely|completely|invariably")
_SOME_WORDS = word_pattern(
    "some|several|certain|sometimes|occasionally|often|usually|generally|typically|many|most|mostly|few|rarely|partly"
    "|normally|frequently"
)
_EXCLUSIVE = word_pattern("only|solely|exclusively|nothing but|no other", behind=r"(?!\s+(?:a\s+)?\d)")
_EXCLUSIVE_EQUIVALENT = word_pattern(
    r"only|solely|exclusively|alone(?!\.\d)|no other|unless|except|no|nobody|none|sole|until|(?<!not\s)limited to"
)
_INTENSIFIED_WORD = re.compile(r"\b(?:very|extremely|highly|semi|partly|nearly|almost)[ -]([a-z]{3,30})")
_PLAIN_WORD = re.compile(r"[a-z]{2,30}")
# A claim that allows of no exception needs a source that says as much.
_WITHOUT_EXCEPTION = word_pattern(
    "always|invariably|regardless|irrespective|even if|in (?:all|any|every) cases?|at all times|whether or not"
    "|under (?:all|any) circumstances|without (?:any )?(?:exceptions?|limits?|limitations?|conditions?)"
    "|no exceptions?|guarantees?|guaranteed|proven|proves?"
)
_UNCONDITIONAL = word_pattern(
    "always|invariably|regardless|irrespective|even|all|any|every|each|ever|whether or|without|no|never|guarantees?"
    "|guaranteed|proven|proves?|whatever|whenever|wherever|24",
    behind=r"(?!\s+(?:less|more|later)\b)",
)
_IN_ALL_CASES = word_pattern(
    "always|regardless|irrespective|in (?:all|any|every) cases?|at all times|even if|all|every|anywhere"
)
_EXCEPTION = word_pattern("unless|except|excluding|provided|other than|save")


def overstates(claim: str, source: str) -> bool:
    """Whether the claim says "must" where the source says "may" or the reverse, "all" where the source says "some", or
    another degree, such as "severe" for "very severe"."""
    return (
        changes_duty(claim, source)
        or _changes_modality_of_clause(claim, source)
        or _changes_quantifier(claim, source)
        or changes_degree(claim, source)
        or (_has_match(_IN_ALL_CASES, claim) and _has_match(_EXCEPTION, source) and not _has_match(_EXCEPTION, claim))
        or (_has_match(_WITHOUT_EXCEPTION, claim) and not _has_match(_UNCONDITIONAL, source))
    )


def _has_match(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.search(text) is not None


def _changes_modality_of_clause(claim: str, source: str) -> bool:
    """Whether a clause of the claim changes the modality of all those clauses of the source that are nearest to it.

    A claim of more clauses than a sentence has changes it as well.
    """
    others = {other: content_stems(other) for other in clauses(source)}
    mine = clauses(claim)
    if len(mine) > _MAX_CLAUSES:
        return True
    for clause in mine:
        shared = {other: len(content_stems(clause) & stems) for other, stems in others.items()}
        most = max(shared.values(), default=0)
        nearest = [other for other, count in shared.items() if count == most][:_MAX_NEAREST]
        if most > 0 and all(changes_duty(clause, other) for other in nearest):
            return True
    return False


def changes_duty(claim: str, source: str) -> bool:
    """A duty where the source gives leave or advice; leave where it makes a duty."""
    claim, source = _without_negated_modals(claim), _without_negated_modals(source)
    duty, leave = _has_match(_OBLIGATION, claim), _has_match(_PERMISSION, claim)
    their_duty, their_leave, their_advice = (
        _has_match(_OBLIGATION, source),
        _has_match(_PERMISSION, source),
        _has_match(_ADVICE, source),
    )
    if duty and not leave and not their_duty and (their_leave or their_advice):
        return not _both_forbid(claim, source)
    return leave and not duty and their_duty and not their_leave and not _both_forbid(claim, source)


def states_duty(text: str) -> bool:
    """Whether it makes something a duty."""
    return _has_match(_OBLIGATION, _without_negated_modals(text))


def _without_negated_modals(text: str) -> str:
    """ "Not optional" is a duty, "not required" is leave."""
    return _NEGATED_OBLIGATION.sub("optional", _NEGATED_PERMISSION.sub("mandatory", text))


def _both_forbid(claim: str, source: str) -> bool:
    """ "May not" and "must not" are one."""
    return _has_match(_DENIAL, claim) and _has_match(_DENIAL, source)


def _changes_quantifier(claim: str, source: str) -> bool:
    """All where the source says some; "only" where it does not."""
    if (
        _has_match(_ALL_WORDS, claim)
        and not _has_match(_SOME_WORDS, claim)
        and _has_match(_SOME_WORDS, source)
        and not _has_match(_ALL_WORDS, source)
    ):
        return True
    return _has_match(_EXCLUSIVE, claim) and not _has_match(_EXCLUSIVE_EQUIVALENT, source)


def changes_degree(claim: str, source: str) -> bool:
    """ "Very severe" exposure is a class of its own, and not "severe" exposure."""
    (mine, plain), (theirs, their_plain) = map(_intensified_words, (claim, source))
    return bool((mine - plain) & (their_plain - theirs) or (theirs - their_plain) & (plain - mine))


def _intensified_words(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words with "very" and the like before them, and those without."""
    lowered = text.lower()
    return frozenset(_INTENSIFIED_WORD.findall(lowered)), frozenset(
        _PLAIN_WORD.findall(_INTENSIFIED_WORD.sub(" ", lowered))
    )
