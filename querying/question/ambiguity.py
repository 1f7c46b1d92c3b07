"""Whether a question refers to something that it does not name: "this state library", "the clinic" where there are
many, "how much does it cost?".

An answer would have to pick one of the things in the documents, and nobody could see which. A reference is clear when
the conversation or an earlier clause names the thing, or when the caller names documents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from uuid import UUID

from knowledge.search.hybrid import Passage
from language.terms import terms
from querying.question.clarifications import SUBJECT_FIELD
from querying.types import Clarification, Question

_MAX_OPTIONS = 4
# A question that points at more than this is no question.
_MAX_REFERENCES = 8
_MAX_OPTION_CHARACTERS = 120
# So many things of that name, in as many documents, make "the clinic" one of many.
_MIN_COMPETING = 3
# "That" is a pointer only behind a preposition; elsewhere it joins two clauses. "These" and "those" are mostly
# explained by what follows ("those that trigger wildfires").
_DEMONSTRATIVE = re.compile(
    r"\b(?:this|(?:of|in|for|to|at|by|with|from|about|on)\s+that)\s+(?:(?:type|kind|sort)s?\s+of\s+)?"
    r"(?P<named>[^\W\d][\w'’-]*(?:\s+[^\W\d][\w'’-]*){0,3})",
    re.IGNORECASE,
)
_DEFINITE_ARTICLE = re.compile(r"\b[Tt]he\s+(?P<named>[a-z]+(?:\s+[a-z]+){0,3})")
_AUXILIARY_VERB = re.compile(
    r"\b(?:is|are|was|were|does|do|did|can|could|may|must|should|will|would|has|have)\s+$", re.IGNORECASE
)
# Where what is pointed at ends. Of what goes on with one of the first, the rest says which one is meant.
_QUALIFIER = re.compile(r"\s*(?:of|for|in|at|that|which|who|where|to|with|from|on)\b", re.IGNORECASE)
_NOUN_PHRASE_END = re.compile(
    r"\b(?:is|are|was|were|be|been|do|does|did|has|have|had|can|could|will|would|may|might|should|must|of|in|on|at|for|to|from|by"
    r"|with|about|and|or|but|if|as|that|who|which|what|when|where|how|than|into|per|under|not|it|they|you|we|i|an?|the)\b",
    re.IGNORECASE,
)
# An earlier clause may have named it: "if NP is not P, what follows from this result?"
_CLAUSE_START = re.compile(r"[,.;:]\s|\bif\b", re.IGNORECASE)
# Pointed at without anything being meant: a time, or the conversation itself.
_GENERIC_NOUN = re.compile(
    r"(?:years?|weeks?|months?|days?|morning|times?|quarter|century|decade|spring|summer|autumn|fall|winter|weekend|afternoon"
    r"|evening|moment|ways?|cases?|points?|kinds?|sorts?|matter|stage|regard|respects?|context|questions?|topic|subject"
    r"|conversation|chat|answers?|sense|mean|means|includes?|category|plugin|assistant|documents?|sources?|text|knowledge"
    r"|amount|number|level|degree|size)",
    re.IGNORECASE,
)
_PRONOUN = re.compile(
    r"\b(?:it|they|them|its|their|he|she|him|her|his)\b|\b(?:this|that|these|those)\b(?=\W*$)", re.IGNORECASE
)
# "How much", "how long": not what is asked about.
_MEASURE_STEMS = frozenset(terms("much many long far often big large high deep old soon expensive"))
_IMPERSONAL = re.compile(r"\b(?:to|that|if|when|for|because)\b", re.IGNORECASE)
_FEW_WORDS = 2
_DETERMINERS = frozenset(
    ["the", "a", "an", "this", "that", "our", "your", "their", "each", "every", "any", "in", "at", "of"]
)


@dataclass(frozen=True, kw_only=True)
class _Reference:
    """What is pointed at, in its words (none: by a pronoun). `is_cut`: the last of these may be a verb."""

    words: tuple[str, ...] = ()
    is_definite: bool = False
    is_cut: bool = False

    @property
    def clarifying_question(self) -> str:
        if not self.words:
            return "What do you mean?"
        return f"Which {'one' if self.is_cut else ' '.join(self.words)} do you mean?"


def clarify_reference(question: Question, passages: Sequence[Passage]) -> Clarification | None:
    """The question back, with what the passages speak of as options; None where it is clear what is meant, or where
    nothing competes for it."""
    filters = question.options.filters
    if SUBJECT_FIELD in question.facts or (filters is not None and filters.document_ids):
        return None
    for pointer in _unresolved_references(question.text, before=" ".join(turn.content for turn in question.context)):
        if options := _competing_options(passages, pointer):
            return Clarification(question=pointer.clarifying_question, options=options, field=SUBJECT_FIELD)
    return None


def _unresolved_references(text: str, *, before: str) -> Iterator[_Reference]:
    """What is pointed at and named nowhere before."""
    for pattern in (_DEMONSTRATIVE, _DEFINITE_ARTICLE):
        for match in islice(pattern.finditer(text), _MAX_REFERENCES):
            pointer = _parse_reference(match, is_definite=pattern is _DEFINITE_ARTICLE)
            known = set(terms(f"{before} {text[: match.start()]}"))
            if pointer and not known & set(terms(" ".join(pointer.words))):
                yield pointer
    if not before and _is_bare_pronoun(text):
        yield _Reference()


def _parse_reference(match: re.Match[str], *, is_definite: bool) -> _Reference | None:
    text, ahead = match.string, match.string[: match.start()]
    head = _NOUN_PHRASE_END.split(match["named"])[0].rstrip()
    rest = text[match.start("named") + len(head) :]
    words = _noun_words(head.split(), is_inverted=bool(_AUXILIARY_VERB.search(ahead)))
    if (
        not terms(" ".join(words))
        or any(_GENERIC_NOUN.fullmatch(word) for word in words)
        or _CLAUSE_START.search(ahead.lstrip())
    ):
        return None
    if is_definite and (words[-1].endswith("s") or (len(words) == len(head.split()) and _QUALIFIER.match(rest))):
        return None
    is_cut = len(head.split()) > len(words) > 1
    return _Reference(words=tuple(words), is_definite=is_definite, is_cut=is_cut)


def _noun_words(words: list[str], *, is_inverted: bool) -> list[str]:
    """Without the verb: in "does this library provide …" it comes last, in "is this different" it is all there is."""
    if not is_inverted:
        return words
    return words[:_FEW_WORDS] if len(words) > _FEW_WORDS + 1 else words[:-1]


def _is_bare_pronoun(text: str) -> bool:
    found = _PRONOUN.search(text)
    if found is None or _IMPERSONAL.search(text[found.end() :]):
        return False
    return not set(terms(text[: found.start()])) - _MEASURE_STEMS and len(terms(text[found.end() :])) <= _FEW_WORDS


def _competing_options(passages: Sequence[Passage], pointer: _Reference) -> tuple[str, ...]:
    """What may be meant, best first; none where it is only one thing. Things of that name ("Maplewood Clinic"); for
    "this clinic" and pronouns also the documents that speak of it."""
    names = _matching_names(passages, pointer.words) if pointer.words else {}
    if len(names) >= _MIN_COMPETING and len(set(names.values())) >= _MIN_COMPETING:
        return tuple(names)[:_MAX_OPTIONS]
    if pointer.is_definite:
        return ()
    wanted = set(terms(" ".join(pointer.words)))
    speaking = (one for one in passages if not wanted or wanted & set(terms(f"{one.document_title} {one.content}")))
    titles = tuple(filter(None, dict.fromkeys(one.document_title.strip()[:_MAX_OPTION_CHARACTERS] for one in speaking)))
    return titles[:_MAX_OPTIONS] if len(titles) > 1 else ()


def _matching_names(passages: Sequence[Passage], words: Sequence[str]) -> dict[str, UUID]:
    """The names that end with these words, and the document where each is found first."""
    noun = r"[ ]".join(re.escape(word.capitalize()) for word in words)
    pattern = re.compile(rf"\b((?:[A-Z][\w’'-]*[ ]){{1,4}}){noun}\b")
    found: dict[str, UUID] = {}
    for passage in passages:
        for match in pattern.finditer(f"{passage.document_title}\n{passage.content}"):
            name = [word for word in match[1].split() if word.lower() not in _DETERMINERS]
            if name:
                found.setdefault(" ".join([*name, *(word.capitalize() for word in words)]), passage.document_id)
    return found
