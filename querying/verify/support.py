"""Does this span bear out this claim? Figures, quotations, denials and contrasts may rule it out; words, and where
they leave a doubt nearness in meaning, must speak for it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from knowledge.terms import terms
from querying.plain import plain
from querying.verify.association import misplaces_a_figure
from querying.verify.clauses import before_predicate, clause_spans
from querying.verify.cohesion import is_scattered
from querying.verify.contrasts import contradictory_words, contradicts, is_contrastive, opposite_in
from querying.verify.generic import content
from querying.verify.modality import says_more
from querying.verify.negation import flips
from querying.verify.orders import is_only_ordered
from querying.verify.quantities import figures, unsupported_numbers, without_list_mark
from querying.verify.quotes import is_verbatim, normal, quotations
from querying.verify.roles import swaps_roles
from querying.verify.semantics import nearest, nearness, remember
from querying.verify.synonyms import synonyms_of

# A word this near in meaning stands for the other: cost and price, travel and trip.
_SYNONYM = 0.72
# A claim in other words throughout: the sentences must be this near, and each word have something near it.
_SAME_SENSE, _AKIN = 0.8, 0.5
_LEAST_SENSE = 0.6
# One word of its own in a sentence that otherwise says just the same.
_SURE_SENSE, _FEW_BUT_ENOUGH, _FAINT = 0.9, 4, 0.3
# A claim that shares this much has only a word or two of its own, and those make the difference.
_MUCH_SHARED = 0.6

_ROOT = 5  # letters that related words share at least

_BULLET = re.compile(r"^\s{0,8}(?:[-*+•●▪◦‣–—]|#{1,6})\s{1,8}")
_COMPOUND = re.compile(r"[a-z]{2,30}(?:-[a-z]{1,30}){1,4}")
# Whoever is spoken to, or spoken of as "they", may be called what they are.
_ADDRESSED = re.compile(
    r"\b(?:you|your|they|their|it\s+is\s+important|it['’]s\s+important|please)\b", re.IGNORECASE
)
_PEOPLE = frozenset(
    terms("employee employees member members people person user users individual individuals insured reader")
)
# A capital in the middle of a sentence.
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][\w'’-]{1,40}")
_ACRONYM = re.compile(r"\b[A-Z]{2,7}\b")
_FULL_NAME = re.compile(r"\b[A-Z]\w{0,30}(?: [A-Z]\w{0,30}){1,6}")
_ROMAN = re.compile(r"[IVX]{1,4}")
_IMPLIED = (
    (re.compile(r"[$€£₹¥]\s?\d"), frozenset(terms("cost costs price priced charge charged fee pay worth"))),
    (
        re.compile(r"\b(?:may|can)\b(?!\s+not)"),
        frozenset(terms("allow permit able entitle possible free right option")),
    ),
    (re.compile(r"\b(?:must|shall)\b(?!\s+not)"), frozenset(terms("oblige obligation obligatory duty mandatory"))),
)
_WORD = re.compile(r"[^\W\d_][\w'’-]{1,40}")


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What stands around a span: headings and the title above it, and its whole passage."""

    heading: str
    passage: str


@dataclass(frozen=True, kw_only=True)
class Words:
    """How the claim's content words meet the span's: the share of all its words that it has, and those it lacks."""

    share: float
    matched: frozenset[str]
    missing: frozenset[str]
    unused: frozenset[str]  # content words of the span that the claim has not


def is_word_for_word(claim: str, span: str) -> bool:
    """The same sentence, but for spaces, bullets, the first letter's case and the punctuation at the end."""
    return _bare(claim) == _bare(span)


@lru_cache(maxsize=4096)
def _bare(text: str) -> str:
    return normal(_BULLET.sub("", plain(text))).strip(" .,;:!?").casefold()


@lru_cache(maxsize=4096)
def stems(text: str) -> frozenset[str]:
    """Every stem of the text; remembered, for every claim is held against the same sentences."""
    return frozenset(terms(text))


def compare(claim: str, span: str, around: Surroundings) -> Words:
    mine, theirs = content(figures(without_list_mark(claim)).words), content(span)
    above = content(around.heading)
    turned = contradictory_words(claim, span)
    spelt_otherwise = turned | _joined_in(claim, span) | (_PEOPLE if _ADDRESSED.search(span) else frozenset())
    said = stems(span)
    spelt_otherwise |= _abbreviated(claim, span) | _abbreviated(span, claim) | _implied(span)
    matched = {
        word
        for word in mine
        if word in theirs or word in spelt_otherwise or synonyms_of(word) & said or _has_relative(word, theirs)
    }
    unused = frozenset(word for word in theirs - mine if not _has_relative(word, mine))
    missing = mine - matched
    # A heading says what its sentences are about, unless this one speaks of something else that the heading names.
    if not unused & above:
        missing -= above
    wanted = stems(claim)
    share = len(wanted & (said | matched)) / len(wanted) if wanted else 0.0
    return Words(share=share, matched=frozenset(matched), missing=frozenset(missing), unused=unused)


def _joined_in(claim: str, span: str) -> frozenset[str]:
    """The parts of compounds that the span spells as one word: a line break may have cost it its hyphen."""
    whole = span.replace("-", "").lower()
    found = (word for word in _COMPOUND.findall(claim.lower()) if word.replace("-", "") in whole)
    return frozenset(stem for word in found for stem in terms(word.replace("-", " ")))


def _abbreviated(text: str, other: str) -> frozenset[str]:
    """The stems of both where the first abbreviates what the other writes in full: "WWII", "World War II"."""
    short = {word for word in _ACRONYM.findall(text) if word not in other}
    if not short:
        return frozenset()
    found: set[str] = set()
    names = [match.group().split() for match in _FULL_NAME.finditer(other)]
    for words in names:
        for start in range(len(words)):
            initials = ""
            for end in range(start, len(words)):
                initials += words[end] if _ROMAN.fullmatch(words[end]) else words[end][0]
                if initials in short:
                    found.update(terms(" ".join([initials, *words[start : end + 1]])))
    return frozenset(found)


def _implied(span: str) -> frozenset[str]:
    """Words that the span says without them: a sum of money is a cost, and who may do it is allowed to."""
    return frozenset().union(*(stems for pattern, stems in _IMPLIED if pattern.search(span)))


def _has_relative(word: str, others: frozenset[str]) -> bool:
    """A synonym among them, or a stem that begins alike for most of its length ("exposed" and "exposure")."""
    if synonyms_of(word) & others:
        return True
    return word[:_ROOT] in _roots(others) and any(_is_relative(word, other) for other in others)


@lru_cache(maxsize=4096)
def _roots(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word[:_ROOT] for word in words)


def _is_relative(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return len(short) >= _ROOT and long.startswith(short) and len(long) - len(short) <= 3


def is_ruled_out(claim: str, span: str, around: Surroundings) -> bool:
    """Something in the claim goes against the span, or is stated as a figure or a quotation that it lacks."""
    return (
        bool(unsupported_numbers(claim, span, context=around.passage))
        or not all(is_verbatim(quote, span) for quote in quotations(claim))
        or goes_against(claim, span)
        or misplaces_a_figure(claim, span)
        or is_scattered(claim, span)
        or is_only_ordered(claim, span)
        or (speaks_of_another(claim, span) and not _is_excerpt(claim, span))
    )


def _is_excerpt(claim: str, span: str) -> bool:
    """The claim's content words stand in the span in one unbroken row."""
    mine, theirs = ([stem for stem in terms(text) if stem in content(text)] for text in (claim, span))
    return any(theirs[at : at + len(mine)] == mine for at in range(len(theirs) - len(mine) + 1))


def goes_against(claim: str, span: str) -> bool:
    """The span says the contrary, denies it, or has it the other way round."""
    return (
        contradicts(claim, span)
        or says_more(claim, span)
        or flips(claim, span, opposed=contradictory_words(claim, span))
        or swaps_roles(claim, span)
    )


@dataclass(frozen=True)
class _Statement:
    """A clause by its content words: those before the predicate, the last of them, and those after it."""

    subject: frozenset[str]
    head: str
    predicate: frozenset[str]


@lru_cache(maxsize=4096)
def _statements(span: str) -> tuple[_Statement, ...]:
    text = figures(span).text
    return tuple(found for start, end in clause_spans(text) if (found := _statement(text[start:end])))


def _statement(clause: str) -> _Statement | None:
    """None for a clause without a predicate that we know, or without a subject of its own."""
    before = before_predicate(clause)
    subject = [stem for stem in terms(before) if stem in content(before)]
    if before == clause or not subject:
        return None
    return _Statement(frozenset(subject), subject[-1], content(clause[len(before) :]))


def speaks_of_another(claim: str, span: str) -> bool:
    """The claim takes what is said of one subject and says it of another subject of the same span."""
    said = _statements(span)
    if len(said) < 2:
        return False
    mine = content(figures(claim).text)
    most = max(len(mine & statement.predicate) for statement in said)
    main = [statement for statement in said if len(mine & statement.predicate) == most]
    return most > 0 and all(_is_replaced(statement, said, mine) for statement in main)


def _is_replaced(main: _Statement, said: tuple[_Statement, ...], mine: frozenset[str]) -> bool:
    elsewhere = (other for other in said if other is not main and not _says_it_too(other, mine))
    others = frozenset().union(*(other.subject for other in elsewhere))
    return main.head not in mine and bool((others - main.subject - main.predicate) & mine)


def _says_it_too(other: _Statement, mine: frozenset[str]) -> bool:
    """The claim says what is said of that subject, so it may well name it."""
    return bool(other.subject & mine) and 2 * len(other.predicate & mine) > len(other.predicate)


def meaning_supports(claim: str, span: str, words: Words) -> float:
    """How nearly the span says the claim where words are missing; 0 where it does not."""
    (sense,) = nearness(claim, [span])
    known = len(words.matched) / (len(words.matched) + len(words.missing))
    worst = _worst(claim, span, words) if sense >= _LEAST_SENSE else 0.0
    if worst >= _SYNONYM:
        return max(sense, words.share)
    if sense >= _SURE_SENSE and worst >= _FAINT and _is_harmless(claim, words):
        return sense
    if known < _MUCH_SHARED and sense >= _SAME_SENSE and worst >= _AKIN:
        return sense
    return 0.0


def _is_harmless(claim: str, words: Words) -> bool:
    """One word of the claim's own among many that it shares, and no word that would turn the sentence round."""
    if len(words.missing) != 1 or len(words.matched) < _FEW_BUT_ENOUGH:
        return False
    return not any(is_contrastive(word) for word in _spelled(claim, words.missing))


def _worst(claim: str, span: str, words: Words) -> float:
    """How near the span comes to that word of the claim which it lacks most; 0 where it has its opposite."""
    missing, others = _spelled(claim, words.missing), _spelled(span, words.unused)
    if _names_among(claim, missing):
        return 0.0
    remember([*missing, *others])
    found = [(word, *nearest(word, others)) for word in missing]
    if any(opposite_in(word, frozenset({other})) for word, _, other in found):
        return 0.0
    return min((near for _, near, _ in found), default=1.0)


def _names_among(claim: str, words: list[str]) -> bool:
    """One name never stands for another, however near they are in meaning."""
    return any(match.group().lower() in words for match in _NAME.finditer(claim))


def _spelled(text: str, stems: frozenset[str]) -> list[str]:
    """The words of the text with one of these stems, as written, in small letters."""
    found = dict.fromkeys(match.group().lower() for match in _WORD.finditer(figures(text).words))
    return [word for word in found if content(word) & stems]
