"""Finds references in a question to something that it does not name: "this state library", "of that clinic".

An answer would have to pick one of the things in the documents, and readers could not see which. A reference is clear
when the conversation or an earlier clause names the thing, or when the caller names documents.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from uuid import UUID

from knowledge.search.passages import Passage
from language.auxiliary_verbs import AUXILIARY_VERBS
from language.stop_words import STOP_WORDS
from language.terms import terms
from querying.question.clarifications import SUBJECT_FIELD
from querying.types.answer import Clarification
from querying.types.question import Question

_MAX_OPTIONS = 4
# A text that points at more things than this is no question.
_MAX_REFERENCES = 8
_MAX_OPTION_CHARACTERS = 120
# "This clinic" is ambiguous where this many clinics stand in as many documents.
_MIN_COMPETING = 3
# "That" points at something only after a preposition; elsewhere it joins two clauses. "These" and "those" are mostly
# explained by what follows ("those that trigger wildfires").
_DEMONSTRATIVE = re.compile(
    r"\b(?:this|(?:of|in|for|to|at|by|with|from|about|on)\s+that)\s+(?:(?:type|kind|sort)s?\s+of\s+)?"
    r"(?P<named>[^\W\d][\w'’-]*(?:\s+[^\W\d][\w'’-]*){0,3})",
    re.IGNORECASE,
)
# What is pointed at ends before one of these: a verb, a preposition or a conjunction.
_AUXILIARY_VERBS = frozenset(AUXILIARY_VERBS)
_SMALL_WORDS = STOP_WORDS | _AUXILIARY_VERBS | frozenset(["every", "into", "per"])
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
_FEW_WORDS = 2


@dataclass(frozen=True, kw_only=True)
class _Reference:
    """What is pointed at, in its words. `is_cut`: the last of these may be a verb."""

    words: tuple[str, ...]
    is_cut: bool

    @property
    def clarifying_question(self) -> str:
        return f"Which {'one' if self.is_cut else ' '.join(self.words)} do you mean?"


def clarify_reference(question: Question, passages: Sequence[Passage]) -> Clarification | None:
    """The clarification, whose options are the things that the passages speak of. None where it is clear what is meant,
    or where only one thing can be meant."""
    filters = question.options.filters
    if SUBJECT_FIELD in question.facts or (filters is not None and filters.document_ids):
        return None
    for pointer in _unresolved_references(question.text, before=" ".join(turn.content for turn in question.context)):
        if options := _competing_options(passages, pointer):
            return Clarification(question=pointer.clarifying_question, options=options, field=SUBJECT_FIELD)
    return None


def _unresolved_references(text: str, *, before: str) -> Iterator[_Reference]:
    """What is pointed at and named nowhere before."""
    for match in islice(_DEMONSTRATIVE.finditer(text), _MAX_REFERENCES):
        pointer = _parse_reference(match)
        known = set(terms(f"{before} {text[: match.start()]}"))
        if pointer and not known & set(terms(" ".join(pointer.words))):
            yield pointer


def _parse_reference(match: re.Match[str]) -> _Reference | None:
    ahead = match.string[: match.start()]
    head = list(takewhile(lambda word: word.lower() not in _SMALL_WORDS, match["named"].split()))
    words = _noun_words(head, is_inverted=not _AUXILIARY_VERBS.isdisjoint(ahead.lower().split()[-1:]))
    is_generic = any(_GENERIC_NOUN.fullmatch(word) for word in words)
    if is_generic or not terms(" ".join(words)) or _CLAUSE_START.search(ahead.lstrip()):
        return None
    return _Reference(words=tuple(words), is_cut=len(head) > len(words) > 1)


def _noun_words(words: list[str], *, is_inverted: bool) -> list[str]:
    """The words without the verb, which is the last in "does this library provide …" and the only one in "is this
    different"."""
    if not is_inverted:
        return words
    return words[:_FEW_WORDS] if len(words) > _FEW_WORDS + 1 else words[:-1]


def _competing_options(passages: Sequence[Passage], pointer: _Reference) -> tuple[str, ...]:
    """What may be meant, best first; none where it is only one thing. Things of that name ("Maplewood Clinic"), or the
    documents that speak of it."""
    names = _matching_names(passages, pointer.words)
    if len(names) >= _MIN_COMPETING and len(set(names.values())) >= _MIN_COMPETING:
        return tuple(names)[:_MAX_OPTIONS]
    wanted = set(terms(" ".join(pointer.words)))
    speaking = (one for one in passages if wanted & set(terms(f"{one.document_title} {one.content}")))
    titles = tuple(filter(None, dict.fromkeys(one.document_title.strip()[:_MAX_OPTION_CHARACTERS] for one in speaking)))
    return titles[:_MAX_OPTIONS] if len(titles) > 1 else ()


def _matching_names(passages: Sequence[Passage], words: Sequence[str]) -> dict[str, UUID]:
    """The names that end with these words, and the document where each is found first."""
    noun = r"[ ]".join(re.escape(word.capitalize()) for word in words)
    pattern = re.compile(rf"\b((?:[A-Z][\w’'-]*[ ]){{1,4}}){noun}\b")
    found: dict[str, UUID] = {}
    for passage in passages:
        for match in pattern.finditer(f"{passage.document_title}\n{passage.content}"):
            name = [word for word in match[1].split() if word.lower() not in _SMALL_WORDS]
            if name:
                found.setdefault(" ".join([*name, *(word.capitalize() for word in words)]), passage.document_id)
    return found
