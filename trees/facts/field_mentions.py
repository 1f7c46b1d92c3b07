"""Finds where a text mentions a field's options, and whether it affirms or denies them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from language.stemming import stem
from trees.definition.fields import NO, YES, FactField
from trees.facts.field_values import has_no_signs
from trees.facts.negation import NEGATION_WINDOW, is_contrast, is_foreign_negation, is_negated_behind, is_negation
from trees.words import WordToken, is_content_word, is_same_word, normalise, split_words

Stance: TypeAlias = Literal["affirmed", "denied", "unclear"]

_AUXILIARY_VERBS = frozenset({"is", "are", "was", "were", "does", "do", "did", "has", "have", "can", "will"})


@dataclass(frozen=True, kw_only=True)
class FieldPhrase:
    """One way to say that a field has a value. An `anchored` one counts only next to the field's name."""

    field: str
    value: str | bool
    words: tuple[str, ...]
    anchored: bool = False


@dataclass(frozen=True, kw_only=True)
class FieldMention:
    """A phrase in a text: from word `first` to word `last`, at `text[start:end]`."""

    field: str
    value: str | bool
    stance: Stance
    first: int
    last: int
    start: int
    end: int


def find_mentions(text: str, fields: Mapping[str, FactField]) -> list[FieldMention]:
    """Every option and yes/no field that the text speaks of.

    Where phrases overlap the longer one is meant: “live load” is not also “load”.
    """
    said = split_words(text)
    index: dict[str, list[FieldPhrase]] = {}
    for phrase in (phrase for field in fields.values() for phrase in field_phrases(field)):
        index.setdefault(stem(phrase.words[0]), []).append(phrase)
    found = [
        _build_mention(phrase, said, at)
        for at, word in enumerate(said)
        for phrase in index.get(word.stem, [])
        if _phrase_starts_at(phrase, said, at)
        and (not phrase.anchored or _is_beside_field_name(fields[phrase.field], said, at, phrase))
    ]
    return _drop_covered(found)


def field_phrases(field: FactField) -> Iterator[FieldPhrase]:
    """The ways to say what the field holds: options, their synonyms, and for yes/no the field's own name."""
    if field.type == "boolean":
        yield from _yes_no_phrases(field)
    elif field.type != "number":
        yield from _option_phrases(field)


def _option_phrases(field: FactField) -> Iterator[FieldPhrase]:
    known = {normalise(option): option for option in field.options}
    for option in field.options:
        yield from _parse_phrase(field, option, option)
    for option, others in field.synonyms.items():
        if normalise(option) in known:
            for other in others:
                yield from _parse_phrase(field, known[normalise(option)], other)


def _yes_no_phrases(field: FactField) -> Iterator[FieldPhrase]:
    if field.named:
        yield from _parse_phrase(field, True, " ".join(field.words))
    for key, others in field.synonyms.items():
        if normalise(key) in YES | NO:
            for other in others:
                yield from _parse_phrase(field, normalise(key) in YES, other)


def _parse_phrase(field: FactField, value: str | bool, text: str) -> Iterator[FieldPhrase]:
    said = _phrase_words(text)
    if said:
        # “A”, “2” and “any” are in many texts that are not about class A, grade 2 or any of it.
        yield FieldPhrase(field=field.name, value=value, words=said, anchored=not any(map(is_content_word, said)))


# Every question is compared with the phrases of every tree.
@lru_cache(maxsize=20_000)
def _phrase_words(text: str) -> tuple[str, ...]:
    return tuple(word.text for word in split_words(text)) if has_no_signs(text) else ()


def _phrase_starts_at(phrase: FieldPhrase, said: list[WordToken], at: int) -> bool:
    here = said[at : at + len(phrase.words)]
    return (
        len(here) == len(phrase.words)
        and not any(word.starts_sentence for word in here[1:])
        and all(is_same_word(word.text, part) for word, part in zip(here, phrase.words, strict=True))
    )


def _is_beside_field_name(field: FactField, said: list[WordToken], at: int, phrase: FieldPhrase) -> bool:
    beside = said[max(at - 1, 0) : at] + said[at + len(phrase.words) : at + len(phrase.words) + 1]
    return any(is_same_word(word.text, part) for word in beside for part in field.words)


def _build_mention(phrase: FieldPhrase, said: list[WordToken], at: int) -> FieldMention:
    last = at + len(phrase.words) - 1
    stance = _detect_stance(said, at, last)
    if isinstance(phrase.value, bool) and stance == "affirmed" and _is_in_question(said, at, last):
        stance = "unclear"
    return FieldMention(
        field=phrase.field,
        value=phrase.value,
        stance=stance,
        first=at,
        last=last,
        start=said[at].start,
        end=said[last].end,
    )


def _detect_stance(said: list[WordToken], first: int, last: int) -> Stance:
    """Whether the words around deny it. “Not wet and cold” leaves cold unclear, and so does a negation of another
    language whatever stands beside it."""
    if is_negated_behind(said, last):
        return "unclear"
    is_further = False
    for index in range(first, max(first - NEGATION_WINDOW - 1, -1), -1):
        word = said[index]
        if index < first:
            if is_contrast(word.text):
                break
            if is_negation(word.text):
                return "unclear" if is_further else "denied"
            if is_foreign_negation(word.text):
                return "unclear"
            is_further = is_further or word.text == "and"
        if word.starts_clause or word.starts_sentence:
            break
    return "affirmed"


def _is_in_question(said: list[WordToken], first: int, last: int) -> bool:
    """“Is the beam exposed?” asks it; “Is 40 mm enough for an exposed beam?” says it."""
    opening = next(said[index] for index in range(first, -1, -1) if said[index].starts_sentence)
    closes = last + 1 == len(said) or said[last + 1].starts_sentence
    return opening.text in _AUXILIARY_VERBS and closes


def _drop_covered(found: list[FieldMention]) -> list[FieldMention]:
    """The mentions that do not lie within a longer one."""
    reach: dict[int, int] = {}
    for one in found:
        reach[one.first] = max(one.last, reach.get(one.first, 0))
    widest = max((last - first for first, last in reach.items()), default=0)

    def is_covered(one: FieldMention) -> bool:
        starts = range(one.first - widest, one.first + 1)
        return any(reach.get(first, -1) >= one.last and reach[first] - first > one.last - one.first for first in starts)

    return [one for one in found if not is_covered(one)]
