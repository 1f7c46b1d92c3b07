"""Does this span bear out this claim? Figures, quotations, denials and contrasts may rule it out; words, and where
they leave a doubt nearness in meaning, must speak for it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from language.clauses import clause_spans, text_before_predicate
from language.content_words import content_stems
from language.figures.figure_extraction import extract_figures, strip_list_mark, unsupported_figures
from language.negation import reverses_polarity
from language.synonyms import synonyms_of
from language.terms import terms
from querying.answering.grounding.claim_contradictions import (
    contradictory_stems,
    contradicts,
    find_opposite,
    has_known_opposite,
)
from querying.answering.grounding.cohesion import is_scattered
from querying.answering.grounding.figure_association import misattributes_figure
from querying.answering.grounding.imperatives import is_only_instructed
from querying.answering.grounding.modality import overstates
from querying.answering.grounding.quotations import find_quotations, is_verbatim, normalize_quote
from querying.answering.grounding.semantic_roles import swaps_roles
from querying.answering.grounding.semantic_similarity import cache_vectors, most_similar, similarities
from querying.sanitize import sanitize

# A word this near in meaning stands for the other: cost and price, travel and trip.
_SYNONYM_SIMILARITY = 0.72
# A claim in other words throughout: the sentences must be this near, and each word have something near it.
_PARAPHRASE_SIMILARITY, _RELATED_SIMILARITY = 0.8, 0.5
_MIN_SIMILARITY = 0.6
# One word of its own in a sentence that otherwise says just the same.
_SURE_SIMILARITY, _MIN_MATCHED_WORDS, _FAINT_SIMILARITY = 0.9, 4, 0.3
# A claim that shares this much has only a word or two of its own, and those make the difference.
_HIGH_OVERLAP = 0.6

_ROOT_LENGTH = 5  # letters that related words share at least

_LINE_MARKER = re.compile(r"^\s{0,8}(?:[-*+•●▪◦‣–—]|#{1,6})\s{1,8}")
_COMPOUND = re.compile(r"[a-z]{2,30}(?:-[a-z]{1,30}){1,4}")
# Whoever is spoken to, or spoken of as "they", may be called what they are.
_ADDRESSEE = re.compile(r"\b(?:you|your|they|their|it\s+is\s+important|it['’]s\s+important|please)\b", re.IGNORECASE)
_PEOPLE_STEMS = frozenset(
    terms("employee employees member members people person user users individual individuals insured reader")
)
# A capital in the middle of a sentence.
_CAPITALISED_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][\w'’-]{1,40}")
_ACRONYM = re.compile(r"\b[A-Z]{2,7}\b")
_FULL_NAME = re.compile(r"\b[A-Z]\w{0,30}(?: [A-Z]\w{0,30}){1,6}")
_ROMAN_NUMERAL = re.compile(r"[IVX]{1,4}")
_IMPLICATIONS = (
    (re.compile(r"[$€£₹¥]\s?\d"), frozenset(terms("cost costs price priced charge charged fee pay worth"))),
    (
        re.compile(r"\b(?:may|can)\b(?!\s+not)"),
        frozenset(terms("allow permit able entitle possible free right option")),
    ),
    (re.compile(r"\b(?:must|shall)\b(?!\s+not)"), frozenset(terms("oblige obligation obligatory duty mandatory"))),
)
_SPELLED_WORD = re.compile(r"[^\W\d_][\w'’-]{1,40}")


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What stands around a span: headings and the title above it, and its whole passage."""

    heading: str
    passage: str


@dataclass(frozen=True, kw_only=True)
class WordOverlap:
    """How the claim's content words meet the span's: the share of all its words that it has, and those it lacks."""

    share: float
    matched: frozenset[str]
    missing: frozenset[str]
    unused: frozenset[str]  # content words of the span that the claim has not


def is_same_sentence(claim: str, span: str) -> bool:
    """The same sentence, but for spaces, bullets, the first letter's case and the punctuation at the end."""
    return _bare_sentence(claim) == _bare_sentence(span)


@lru_cache(maxsize=4096)
def _bare_sentence(text: str) -> str:
    return normalize_quote(_LINE_MARKER.sub("", sanitize(text))).strip(" .,;:!?").casefold()


@lru_cache(maxsize=4096)
def stem_set(text: str) -> frozenset[str]:
    """Every stem of the text; remembered, for every claim is held against the same sentences."""
    return frozenset(terms(text))


def compare_words(claim: str, span: str, around: Surroundings) -> WordOverlap:
    mine, theirs = content_stems(extract_figures(strip_list_mark(claim)).words), content_stems(span)
    above = content_stems(around.heading)
    turned = contradictory_stems(claim, span)
    spelt_otherwise = (
        turned | _joined_compound_stems(claim, span) | (_PEOPLE_STEMS if _ADDRESSEE.search(span) else frozenset())
    )
    said = stem_set(span)
    spelt_otherwise |= _abbreviation_stems(claim, span) | _abbreviation_stems(span, claim)
    # Words that the span says without them: a sum of money is a cost, and who may do it is allowed to.
    spelt_otherwise = spelt_otherwise.union(*(stems for pattern, stems in _IMPLICATIONS if pattern.search(span)))
    matched = {
        word
        for word in mine
        if word in theirs or word in spelt_otherwise or synonyms_of(word) & said or _has_related_stem(word, theirs)
    }
    unused = frozenset(word for word in theirs - mine if not _has_related_stem(word, mine))
    missing = mine - matched
    # A heading says what its sentences are about, unless this one speaks of something else that the heading names.
    if not unused & above:
        missing -= above
    wanted = stem_set(claim)
    share = len(wanted & (said | matched)) / len(wanted) if wanted else 0.0
    return WordOverlap(share=share, matched=frozenset(matched), missing=frozenset(missing), unused=unused)


def _joined_compound_stems(claim: str, span: str) -> frozenset[str]:
    """The parts of compounds that the span spells as one word: a line break may have cost it its hyphen."""
    whole = span.replace("-", "").lower()
    found = (word for word in _COMPOUND.findall(claim.lower()) if word.replace("-", "") in whole)
    return frozenset(stem for word in found for stem in terms(word.replace("-", " ")))


def _abbreviation_stems(text: str, other: str) -> frozenset[str]:
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
                initials += words[end] if _ROMAN_NUMERAL.fullmatch(words[end]) else words[end][0]
                if initials in short:
                    found.update(terms(" ".join([initials, *words[start : end + 1]])))
    return frozenset(found)


def _has_related_stem(word: str, others: frozenset[str]) -> bool:
    """A synonym among them, or a stem that begins alike for most of its length ("exposed" and "exposure")."""
    if synonyms_of(word) & others:
        return True
    if word[:_ROOT_LENGTH] not in _stem_roots(others):
        return False
    pairs = (sorted((word, other), key=len) for other in others)
    return any(
        len(short) >= _ROOT_LENGTH and long.startswith(short) and len(long) - len(short) <= 3 for short, long in pairs
    )


@lru_cache(maxsize=4096)
def _stem_roots(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word[:_ROOT_LENGTH] for word in words)


def is_ruled_out(claim: str, span: str, around: Surroundings) -> bool:
    """Something in the claim goes against the span, or is stated as a figure or a quotation that it lacks."""
    return (
        bool(unsupported_figures(claim, span, context=around.passage))
        or not all(is_verbatim(quote, span) for quote in find_quotations(claim))
        or is_contradicted(claim, span)
        or misattributes_figure(claim, span)
        or is_scattered(claim, span)
        or is_only_instructed(claim, span)
        or (changes_subject(claim, span) and not _is_contiguous_excerpt(claim, span))
    )


def _is_contiguous_excerpt(claim: str, span: str) -> bool:
    """The claim's content words stand in the span in one unbroken row."""
    mine, theirs = ([stem for stem in terms(text) if stem in content_stems(text)] for text in (claim, span))
    return any(theirs[at : at + len(mine)] == mine for at in range(len(theirs) - len(mine) + 1))


def is_contradicted(claim: str, span: str) -> bool:
    """The span says the contrary, denies it, or has it the other way round."""
    return (
        contradicts(claim, span)
        or overstates(claim, span)
        or reverses_polarity(claim, span, opposed=contradictory_stems(claim, span))
        or swaps_roles(claim, span)
    )


@dataclass(frozen=True)
class _Statement:
    """A clause by its content words: those before the predicate, the last of them, and those after it."""

    subject: frozenset[str]
    head: str
    predicate: frozenset[str]


@lru_cache(maxsize=4096)
def _read_statements(span: str) -> tuple[_Statement, ...]:
    text = extract_figures(span).text
    return tuple(found for start, end in clause_spans(text) if (found := _read_statement(text[start:end])))


def _read_statement(clause: str) -> _Statement | None:
    """None for a clause without a predicate that we know, or without a subject of its own."""
    before = text_before_predicate(clause)
    subject = [stem for stem in terms(before) if stem in content_stems(before)]
    if before == clause or not subject:
        return None
    return _Statement(frozenset(subject), subject[-1], content_stems(clause[len(before) :]))


def changes_subject(claim: str, span: str) -> bool:
    """The claim takes what is said of one subject and says it of another subject of the same span."""
    said = _read_statements(span)
    if len(said) < 2:
        return False
    mine = content_stems(extract_figures(claim).text)
    most = max(len(mine & statement.predicate) for statement in said)
    main = [statement for statement in said if len(mine & statement.predicate) == most]
    return most > 0 and all(_is_subject_replaced(statement, said, mine) for statement in main)


def _is_subject_replaced(main: _Statement, said: tuple[_Statement, ...], mine: frozenset[str]) -> bool:
    others: set[str] = set()
    for other in said:
        # Where the claim also says what is said of that subject, it may well name it.
        is_claimed = other.subject & mine and 2 * len(other.predicate & mine) > len(other.predicate)
        if other is not main and not is_claimed:
            others |= other.subject
    return main.head not in mine and bool((others - main.subject - main.predicate) & mine)


def semantic_support(claim: str, span: str, words: WordOverlap) -> float:
    """How nearly the span says the claim where words are missing; 0 where it does not."""
    (sense,) = similarities(claim, [span])
    known = len(words.matched) / (len(words.matched) + len(words.missing))
    worst = _weakest_similarity(claim, span, words) if sense >= _MIN_SIMILARITY else 0.0
    if worst >= _SYNONYM_SIMILARITY:
        return max(sense, words.share)
    # One word of the claim's own among many that it shares, and no word that would turn the sentence round.
    has_harmless_gap = (
        len(words.missing) == 1
        and len(words.matched) >= _MIN_MATCHED_WORDS
        and not any(map(has_known_opposite, _words_with_stems(claim, words.missing)))
    )
    if sense >= _SURE_SIMILARITY and worst >= _FAINT_SIMILARITY and has_harmless_gap:
        return sense
    if known < _HIGH_OVERLAP and sense >= _PARAPHRASE_SIMILARITY and worst >= _RELATED_SIMILARITY:
        return sense
    return 0.0


def _weakest_similarity(claim: str, span: str, words: WordOverlap) -> float:
    """How near the span comes to that word of the claim which it lacks most; 0 where it has its opposite."""
    missing, others = _words_with_stems(claim, words.missing), _words_with_stems(span, words.unused)
    # One name never stands for another, however near they are in meaning.
    if any(match.group().lower() in missing for match in _CAPITALISED_NAME.finditer(claim)):
        return 0.0
    cache_vectors([*missing, *others])
    found = [(word, *most_similar(word, others)) for word in missing]
    if any(find_opposite(word, frozenset({other})) for word, _, other in found):
        return 0.0
    return min((near for _, near, _ in found), default=1.0)


def _words_with_stems(text: str, stems: frozenset[str]) -> list[str]:
    """The words of the text with one of these stems, as written, in small letters."""
    found = dict.fromkeys(match.group().lower() for match in _SPELLED_WORD.finditer(extract_figures(text).words))
    return [word for word in found if content_stems(word) & stems]
