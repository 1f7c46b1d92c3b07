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
from language.opposites import opposites_of
from language.terms import terms

# Small words and word forms that stemming would drop or merge, and pairs of people and parties.
_OPPOSITE_WORD_PAIRS = """
after before|above below|over under|inside outside|indoors outdoors|up down|upwards downwards|into out
more less|more fewer|most least|all some|every some|each some|always sometimes|always rarely|always never
often rarely|usually rarely|usually never|start stop|starts stops|begin end|begins ends|commence terminate
commences terminates|increases reduces|increase reduce|increased reduced|increases decreases
increased decreased|raises reduces|raise reduce|rises falls|improves worsens|accelerates slows
activates inhibits|activate inhibit|activation inhibition|promotes inhibits|promote inhibit|induces inhibits
stimulates inhibits|stimulates suppresses|enhances impairs|upregulates downregulates
upregulated downregulated|causes prevents|cause prevent|supports opposes|lessor lessee|licensor licensee
lender borrower|creditor debtor|plaintiff defendant|landlord tenant|buyer seller|vendor purchaser
employer employee|employers employees|trainer trainee|payer payee|mortgagor mortgagee|assignor assignee
franchisor franchisee|grantor grantee|mother father|husband wife|men women|male female|boys girls
teacher student|doctor patient|disclosing receiving|discloser recipient|client contractor|owner contractor
owner tenant|gross net|input output|upstream downstream|acute chronic|benign malignant|acidic alkaline
import export|gain loss|income expense|asset liability|debit credit|interior exterior|internal external
encrypt decrypt|encrypted unencrypted|upload download|gains losses|profits losses|wins loses|won lost
hot cold|wet dry|north south|east west|left right|public private|full partial|fully partially|whole part
exclusive inclusive|excluding including|primary secondary|domestic international|former latter|mild severe
mild extreme|mild moderate|moderate severe|moderate extreme|severe extreme|minor major|fresh salt
simple compound|voluntary involuntary|paid unpaid|approve reject|approved rejected|accept reject
accepted rejected|grant refuse|can cannot|allow prevent|allows prevents|permits prevents|enables prevents
enable disable|enabled disabled|agree disagree|agrees disagrees|legal illegal|possible impossible
open closed|opened closed|easy hard|same different|same unique|identical different|same distinct|solely jointly
"""
# Where one is said to be the case, the other is not: "not optional" is mandatory.
_CONTRADICTORY_PAIRS = """
mandatory optional|compulsory optional|obligatory optional|required optional|mandatory voluntary|compulsory voluntary
required voluntary|true false|present absent|alive dead|possible impossible|valid void|pass fail|passes fails
"""
_EXCLUSIVE_CLASSES = """
january february march april june july august september october november december
monday tuesday wednesday thursday friday saturday sunday
spring summer autumn winter
first second third fourth fifth sixth seventh eighth ninth tenth last
red orange yellow green blue violet purple black white grey brown pink
north south east west northern southern eastern western
daily weekly fortnightly monthly quarterly yearly annually hourly
annual monthly weekly daily quarterly
once twice thrice
hour day week fortnight month quarter year
double triple quadruple
steel timber wood aluminium copper plastic
"""
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


def _opposites_by_word(text: str) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for one, other in (pair.split() for pair in text.strip().replace("\n", "|").split("|")):
        found.setdefault(one, set()).add(other)
        found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}


def _siblings_by_word(classes: str) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in classes.strip().splitlines():
        for word in line.split():
            found.setdefault(word, set()).update(line.split())
    return {word: frozenset(others - {word}) for word, others in found.items()}


_OPPOSITE_WORDS = _opposites_by_word(_OPPOSITE_WORD_PAIRS)
_CONTRADICTORY_WORDS = _opposites_by_word(_CONTRADICTORY_PAIRS)
_SIBLING_WORDS = _siblings_by_word(_EXCLUSIVE_CLASSES)
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
    known = _OPPOSITE_WORDS.get(word, frozenset()) | _SIBLING_WORDS.get(word, frozenset())
    return next(iter(sorted(known & said)), "") or _affix_opposite(word, said)


def contradicts(claim: str, source: str) -> bool:
    """Whether the claim has a word of which the source has only the contrary, or a stronger or weaker sense."""
    return (
        _has_opposite_word(claim, source)
        or _reverses_bounds(claim, source)
        or _changes_side_prefix(claim, source)
        or _reverses_comparison(claim, source)
        or _changes_recurrence(claim, source)
    )


def _changes_recurrence(claim: str, source: str) -> bool:
    """ "Monthly" where the source speaks of years and not of months."""
    said = lowercase_words(source)
    periods = {
        period
        for word in said
        for period in (_PERIOD_BY_ADVERB.get(word, word.removesuffix("s")),)
        if period in _PERIOD_NAMES
    }
    mine = {_PERIOD_BY_ADVERB[word] for word in lowercase_words(claim) if word in _PERIOD_BY_ADVERB}
    return bool(mine and periods) and not mine <= periods


def has_known_opposite(word: str) -> bool:
    """Whether the word has a known contrary, or is one of a class that exclude each other."""
    return word in _OPPOSITE_WORDS or word in _SIBLING_WORDS or any(opposites_of(stem) for stem in terms(word))


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


def _changes_side_prefix(claim: str, source: str) -> bool:
    said = _side_prefixes(source)
    return any(of in said and not sides <= said[of] for of, sides in _side_prefixes(claim).items())


def contradictory_stems(claim: str, source: str) -> frozenset[str]:
    """Stems of the claim's words whose contradictory the source has instead; see `negation.flips`."""
    mine, theirs = lowercase_words(claim), lowercase_words(source)
    found = {
        word
        for word in (mine & _CONTRADICTORY_WORDS.keys()) - theirs
        if _CONTRADICTORY_WORDS[word] & (theirs - mine)
    }
    return frozenset(stem for word in found for stem in terms(word))


def _has_opposite_word(claim: str, source: str) -> bool:
    """Between the whole texts, or between a clause of the claim and the clauses that are nearest to it."""
    return _texts_are_opposed(claim, source) or fails_nearest_clause(_texts_are_opposed, claim, source)


def _texts_are_opposed(claim: str, source: str) -> bool:
    mine, theirs = lowercase_words(extract_figures(claim).words), lowercase_words(extract_figures(source).words)
    added = frozenset(
        word
        for word in mine - theirs
        if not (_CONTRADICTORY_WORDS.get(word, frozenset()) | _EQUIVALENT_WORDS.get(word, frozenset())) & theirs
    )
    if any(find_opposite(word, theirs - mine) for word in added):
        return True
    dropped = frozenset(terms(" ".join(theirs - mine))) - set(terms(" ".join(mine)))
    known = set(terms(source))
    return any(opposites_of(stem) & dropped for word in added for stem in terms(word) if stem not in known)


def _affix_opposite(word: str, said: frozenset[str]) -> str:
    """ "unsafe" for "safe", "hypotension" for "hypertension", "harmless" for "harmful"."""
    return next((other for other in _affix_variants(word) if other in said), "")


@lru_cache(maxsize=16_384)
def _affix_variants(word: str) -> tuple[str, ...]:
    """The words that this one would be with such a beginning or ending, or without it. Not all of them exist."""
    found = []
    for prefix in (*_NEGATING_PREFIXES, *_ADJECTIVE_PREFIXES):
        bare = word.removeprefix(prefix)
        for short, long in ((word, prefix + word), (bare, word)):
            if (
                len(short) >= 4
                and len(long) > len(short)
                and (prefix in _NEGATING_PREFIXES or _ADJECTIVE.match(short))
            ):
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
