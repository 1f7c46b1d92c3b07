"""Duty and leave, all and some, "only" and "very": small words that make a statement stronger or weaker."""

from __future__ import annotations

import re
from functools import lru_cache

from language.clauses import fails_nearest_clause
from language.figures.figure_extraction import extract_figures
from language.terms import terms

_OBLIGATION = re.compile(
    r"\b(?:must|shall|has\s+to|have\s+to|required?|requires|mandatory|obligatory|compulsory|obliged|needs?\s+to)\b",
    re.I,
)
_PERMISSION = re.compile(
    r"\b(?:may|might|can|could|optional|optionally|permitted|allowed|voluntary|voluntarily|free\s+to)\b", re.I
)
_NEGATED_PERMISSION = re.compile(r"\b(?:not|never)\s+(?:be\s+)?(?:optional|voluntary)\b", re.I)
_NEGATED_OBLIGATION = re.compile(
    r"\b(?:not|never)\s+(?:be\s+)?(?:required|mandatory|obligatory|compulsory|obliged)\b|\bneed\s+not\b"
    r"|\b(?:not|n['’]t)\s+(?:need|have)\s+to\b",
    re.I,
)
_ADVICE = re.compile(r"\b(?:should|recommended|recommends?|advisable|advised|ideally|preferably)\b", re.I)
_ALL_WORDS = re.compile(r"\b(?:all|every|each|always|any|entirely|completely|invariably)\b", re.I)
_SOME_WORDS = re.compile(
    r"\b(?:some|several|certain|sometimes|occasionally|often|usually|generally|typically|many|most|mostly|few|rarely|partly"
    r"|normally|frequently)\b",
    re.I,
)
_EXCLUSIVE = re.compile(r"\b(?:only|solely|exclusively|nothing\s+but|no\s+other)\b(?!\s+(?:a\s+)?\d)", re.I)
_EXCLUSIVE_EQUIVALENT = re.compile(
    r"\b(?:only|solely|exclusively|alone(?!\.\d)|no\s+other|unless|except|no|nobody|none|sole|until"
    r"|(?<!not )limited\s+to)\b",
    re.I,
)
_INCLUSIVE = re.compile(r"\bboth\b|\bnot\s+only\b", re.I)
_INTENSIFIED_WORD = re.compile(r"\b(?:very|extremely|highly|semi|partly|nearly|almost)[ -]([a-z]{3,30})")
_PLAIN_WORD = re.compile(r"[a-z]{2,30}")
_MODAL_VERB = re.compile(
    r"\b(?:(?P<duty>must|shall|has\s+to|have\s+to|needs?\s+to)|may|might|can|could)\s+"
    r"(?:(?:be|also|been|only|always|each|all|both)\s+){0,3}(?!not\b|never\b|no\b|be\b|have\b)(?P<verb>[a-z]{3,30})",
    re.IGNORECASE,
)
# A claim that allows of no exception needs a source that says as much; and so with a reason.
_WITHOUT_EXCEPTION = re.compile(
    r"\b(?:always|invariably|regardless|irrespective|even\s+if|in\s+(?:all|any|every)\s+cases?|at\s+all\s+times|whether\s+or\s+not"
    r"|under\s+(?:all|any)\s+circumstances|without\s+(?:any\s+)?(?:exceptions?|limits?|limitations?|conditions?)"
    r"|no\s+exceptions?|guarantees?|guaranteed|proven|proves?)\b",
    re.IGNORECASE,
)
_UNCONDITIONAL = re.compile(
    r"\b(?:always|invariably|regardless|irrespective|even|all|any|every|each|ever|whether\s+or|without|no|never|guarantees?"
    r"|guaranteed|proven|proves?|whatever|whenever|wherever|24)\b(?!\s+(?:less|more|later)\b)",
    re.IGNORECASE,
)
_IN_ALL_CASES = re.compile(
    r"\b(?:always|regardless|irrespective|in\s+(?:all|any|every)\s+cases?|at\s+all\s+times|even\s+if|all|every)\b",
    re.IGNORECASE,
)
_EVERY = re.compile(r"\b(?:all|every|everyone|everything)\b(?!\s+(?:or|of\s+which)\b)", re.IGNORECASE)
_UNIVERSAL = re.compile(
    r"\b(?:all|every|everyone|everything|each|any|no|none|entire|whole|both|throughout|always|never|only|nightly|daily|weekly"
    r"|monthly|yearly|annual|annually|per)\b",
    re.IGNORECASE,
)
# What a sentence mentions without saying that it is so.
_NOT_ASSERTED = re.compile(
    r"\b(?:unknown|unclear|undecided|uncertain|investigated?|tested|asked|wondered|not\s+known)\s*,?(?:\s+\w{1,12},)?\s+(?:whether|if)\b"
    r"|\b(?:is|are|was|were)\s+(?:\w{1,15}\s+)?(?:fallacious|false|untrue|incorrect|a\s+myth|mistaken|unfounded)\b",
    re.IGNORECASE,
)
_EXCEPTION = re.compile(r"\b(?:unless|except|excluding|provided|other\s+than|save)\b", re.IGNORECASE)
_COMPARISON = re.compile(r"\b(?:more|less|fewer|\w{2,12}er)\b[^.;,]{0,40}\bthan\b", re.IGNORECASE)
_COMPARISON_EQUIVALENT = re.compile(
    r"\b(?:than|more|less|fewer|best|worst|compared|twice|double\w{0,2}|doubling"
    r"|exceed\w{0,3}|\w{3,12}est|(?:high|low|larg|small|great|long|short|old|young|cheap|fast|slow|earli|lat|strong|weak)er)\b",
    re.IGNORECASE,
)
_QUALIFIED_ALL = re.compile(
    r"\b(?:all|every|each|any)\s+(?:the\s+|of\s+the\s+)?([a-z]{3,30})\s+([a-z]{3,30})", re.IGNORECASE
)
_CAUSE = re.compile(
    r"\b(?:because|due\s+to|owing\s+to|caused?\s+by|causes?|caused|led\s+to|leads?\s+to|results?\s+in|resulted\s+in"
    r"|as\s+a\s+result|therefore|in\s+order\s+to|thanks\s+to)\b",
    re.IGNORECASE,
)
_CAUSE_EQUIVALENT = re.compile(
    r"\b(?:because|since|as|due|owing|caus\w{1,10}|(?:led|leads?|leading)\s+to|results?|resulted|resulting|consequen\w{1,10}"
    r"|therefore|thus|hence|so|for|reasons?|thanks|given|induc\w{1,10}|driv\w{1,6}|produc\w{1,6})\b",
    re.IGNORECASE,
)


def overstates(claim: str, source: str) -> bool:
    """Whether the claim makes a duty of leave, all of some, one class of another; or a duty's leave."""
    return (
        fails_nearest_clause(_changes_modality, claim, source)
        or _changes_modal_verb(claim, source)
        or _changes_quantifier(claim, source)
        or _changes_intensity(claim, source)
        or _adds_unsupported(_WITHOUT_EXCEPTION, _UNCONDITIONAL, claim, source)
        or (
            _has_match(_IN_ALL_CASES, claim)
            and _has_match(_EXCEPTION, source)
            and not _has_match(_EXCEPTION, claim)
        )
        or _adds_unsupported(_EVERY, _UNIVERSAL, claim, source)
        or (_has_match(_NOT_ASSERTED, source) and not _has_match(_NOT_ASSERTED, claim))
        or _drops_qualifier(claim, source)
        or _adds_unsupported(_COMPARISON, _COMPARISON_EQUIVALENT, extract_figures(claim).words, source)
        or _adds_unsupported(_CAUSE, _CAUSE_EQUIVALENT, claim, source)
    )


def _adds_unsupported(pattern: re.Pattern[str], known: re.Pattern[str], claim: str, source: str) -> bool:
    return _has_match(pattern, claim) and not _has_match(known, source)


def _drops_qualifier(claim: str, source: str) -> bool:
    """ "All adverse events" where the source says "all serious adverse events"."""
    words = frozenset(terms(claim))
    mine = _stems_after(_ALL_WORDS, claim)
    for match in _QUALIFIED_ALL.finditer(source):
        qualifier, head = frozenset(terms(match[1])), frozenset(terms(match[2]))
        if qualifier and head and head <= mine and not qualifier & words:
            return True
    return False


def _changes_modal_verb(claim: str, source: str) -> bool:
    """What the claim says must be done, the source says may be done, or the other way round."""
    mine, theirs = _modal_verbs(claim), _modal_verbs(source)
    return any(verb in theirs and not kinds & theirs[verb] for verb, kinds in mine.items())


@lru_cache(maxsize=4096)
def _modal_verbs(text: str) -> dict[str, frozenset[str]]:
    """The stem of each verb right behind a "must" or "may" that no "not" follows, with which of them it is."""
    found: dict[str, frozenset[str]] = {}
    for match in _MODAL_VERB.finditer(text):
        for stem in terms(match["verb"]):
            found[stem] = found.get(stem, frozenset()) | {"duty" if match["duty"] else "leave"}
    return found


def _has_match(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.search(text) is not None


def _changes_modality(claim: str, source: str) -> bool:
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


def _without_negated_modals(text: str) -> str:
    """ "Not optional" is a duty, "not required" is leave."""
    return _NEGATED_OBLIGATION.sub("optional", _NEGATED_PERMISSION.sub("mandatory", text))


def _both_forbid(claim: str, source: str) -> bool:
    """ "May not" and "must not" are one."""
    denial = re.compile(r"\b(?:not|no|never|cannot|nor)\b|n['’]t\b", re.IGNORECASE)
    return _has_match(denial, claim) and _has_match(denial, source)


def _changes_quantifier(claim: str, source: str) -> bool:
    """All where the source says some; "only" where it does not."""
    if (
        _has_match(_ALL_WORDS, claim)
        and not _has_match(_SOME_WORDS, claim)
        and _has_match(_SOME_WORDS, source)
        and not _has_match(_ALL_WORDS, source)
    ):
        return True
    if _stems_after(_ALL_WORDS, claim) & (_stems_after(_SOME_WORDS, source) - _stems_after(_ALL_WORDS, source)):
        return True
    if _has_match(_EXCLUSIVE, claim) and _has_match(_INCLUSIVE, source) and not _has_match(_EXCLUSIVE, source):
        return True
    return _has_match(_EXCLUSIVE, claim) and not _has_match(_EXCLUSIVE_EQUIVALENT, source)


def _stems_after(pattern: re.Pattern[str], text: str) -> frozenset[str]:
    """The stems that the words of the pattern stand right before: "all bolts"."""
    following = (
        _PLAIN_WORD.search(text.lower(), match.end(), match.end() + 32) for match in pattern.finditer(text)
    )
    return frozenset(stem for match in following if match for stem in terms(match.group()))


def _changes_intensity(claim: str, source: str) -> bool:
    """ "Very severe" exposure is a class of its own, and not "severe" exposure."""
    (mine, plain), (theirs, their_plain) = _intensified_words(claim), _intensified_words(source)
    return bool((mine - plain) & (their_plain - theirs) or (theirs - their_plain) & (plain - mine))


def _intensified_words(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words with "very" and the like before them, and those without."""
    lowered = text.lower()
    return frozenset(_INTENSIFIED_WORD.findall(lowered)), frozenset(
        _PLAIN_WORD.findall(_INTENSIFIED_WORD.sub(" ", lowered))
    )
