"""Finds negated sentences: one cannot support a sentence that is not negated, nor the other way round.

Negations are counted clause by clause, and two cancel out: what is not prohibited is allowed.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise
from operator import itemgetter

from language.cache_sizes import CACHED_SENTENCES
from language.clauses import clause_spans, text_before_predicate
from language.figures.bounds import without_bounds
from language.lazy_pattern import lazy_pattern
from language.terms import terms

# "Not only" and "whether or not" deny nothing.
_FALSE_NEGATION = lazy_pattern(
    r"\bnot\s+only\b|\bno\s+later\b|\bwhether\s+or\s+not\b|\bno\.\s?(?=\d)|\bif\s+not\b(?=\s+\w+er\b)"
    r"|\b(?:not|never)\s+(?:to\s+)?exceed\w*",
    re.IGNORECASE,
)
_NEGATION_CUE = lazy_pattern(
    r"\b(?:not|no|never|none|neither|nor|cannot|without|nobody|nothing|nowhere|unless|except(?!ion)|hardly|barely|scarcely)\b"
    r"|n['’]t\b|\bfree\s+(?:of|from)\b|\b(?:fail|fails|failed|failing)\s+to\b|\bfailures?\s+to\b"
    r"|\b(?:rather\s+than|instead\s+of|other\s+than|apart\s+from)\b"
    r"|\b(?:exclud|prohibit|forbid|forbad|refus|den(?:y|ies|ied|ial)|ineligib|unable|lack|disallow|avoid|refrain|banned|exempt|absen[ct])\w*"
    r"|\bnon-?(?=[a-z]{4})",
    re.IGNORECASE,
)
_ONLY_IF = re.compile(r"\bonly\s+(?:if|when|with|where|after|once)\b", re.IGNORECASE)
_LETTER_WORD = re.compile(r"[^\W\d_]{2,40}")
# How many characters after a denial the word that it denies may begin.
REACH_OF_DENIAL = 60


@dataclass(frozen=True)
class PolarClause:
    """Its stemmed content words, those before its predicate, and whether it denies."""

    terms: frozenset[str]
    subject: frozenset[str]
    denies: bool


def has_negation(text: str) -> bool:
    """Whether anything in the text is denied. A bound ("not less than 45 mm") denies nothing."""
    return _NEGATION_CUE.search(_without_false_negation(text)) is not None


def split_at_denial(text: str) -> tuple[str, str, str] | None:
    """What stands before the only denial of the text, the denial, and what stands behind it; None where it has none or
    several."""
    bare = _without_false_negation(text)
    found = list(islice(_negation_spans(bare), 2))
    if len(found) != 1:
        return None
    ((start, end),) = found
    return bare[:start], bare[start:end], bare[end:]


@lru_cache(maxsize=CACHED_SENTENCES)
def polar_clauses(text: str) -> tuple[PolarClause, ...]:
    bare = _without_false_negation(text)
    spans = clause_spans(bare)
    # "A only if B" says "not A unless B".
    opens = [_ONLY_IF.match(bare, start) is not None for start, _ in spans]
    found = (
        _polar_clause(bare[start:end], extra=here + following)
        for (start, end), here, following in zip(spans, opens, [*opens[1:], False], strict=True)
    )
    return tuple(clause for clause in found if clause.terms)


def _without_false_negation(text: str) -> str:
    return without_bounds(_FALSE_NEGATION.sub(" ", text))


def _polar_clause(text: str, *, extra: int) -> PolarClause:
    before = text_before_predicate(text)
    return PolarClause(
        terms=frozenset(terms(text)),
        subject=frozenset(terms(before)) if before != text else frozenset(),
        denies=(len(list(_negation_spans(text))) + extra) % 2 == 1,
    )


def _negation_spans(text: str) -> Iterator[tuple[int, int]]:
    """Each denial; "neither … nor" and "not … nor" are one."""
    is_open = False
    for match in _NEGATION_CUE.finditer(text):
        if match.group().lower() == "nor" and is_open:
            continue
        is_open = True
        yield match.span()


def reverses_polarity(claim: str, source: str) -> bool:
    """Whether the claim denies what the source affirms, or the other way round."""
    said = polar_clauses(source)
    known = _polarities_by_stem(said)
    is_reversed = any(_is_clause_reversed(clause, known, said) for clause in polar_clauses(claim))
    return is_reversed and not _negate_same_words(claim, source)


def _polarities_by_stem(said: tuple[PolarClause, ...]) -> dict[str, set[bool]]:
    """Whether each word stands in clauses that affirm, that deny, or in both."""
    known: defaultdict[str, set[bool]] = defaultdict(set)
    subject: frozenset[str] = frozenset()
    for clause in said:
        subject = clause.subject or subject
        for term in clause.terms | subject:
            known[term].add(clause.denies)
    return known


def _is_clause_reversed(clause: PolarClause, known: dict[str, set[bool]], said: tuple[PolarClause, ...]) -> bool:
    shared = clause.terms & known.keys()
    if not shared:
        # Nothing to hold it against: a denial must at least be somewhere in the source.
        return clause.denies and not any(other.denies for other in said)
    return not all(clause.denies in known[term] for term in shared)


def _negate_same_words(claim: str, source: str) -> bool:
    """The claim denies just those words of its own that the source denies, and neither affirms one of them as well:
    however their clauses are built, they agree."""
    mine, theirs = negated_stems(claim), negated_stems(source)
    words, said = Counter(terms(claim)), Counter(terms(source))
    if not mine or not mine.keys() <= theirs.keys() or any(word in words and word not in mine for word in theirs):
        return False
    return all(words[word] == mine[word] and said[word] == theirs[word] for word in mine)


def negated_stems(text: str) -> Counter[str]:
    """The content words that a denial stands right before, and how often."""
    bare = _without_false_negation(text)
    ends = [end for _, end in _negation_spans(bare)]
    content = [
        (match.start(), stems[0])
        for begin, end in pairwise([0, *ends, len(bare)])
        for match in _LETTER_WORD.finditer(bare, begin, end)
        if (stems := terms(match.group()))
    ]
    negated: Counter[str] = Counter()
    for end in ends:
        following = bisect_left(content, end, key=itemgetter(0))
        if following < len(content) and content[following][0] < end + REACH_OF_DENIAL:
            negated[content[following][1]] += 1
    return negated
