"""Finds where a text mentions a field's options, and whether it affirms or denies them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, TypeAlias

from language.auxiliary_verbs import AUXILIARY_VERBS
from language.stemming import stem
from trees.definition.fields import NO, YES, FactField
from trees.facts.field_values import has_no_signs
from trees.facts.negation import NEGATION_WINDOW, is_contrast, is_foreign_negation, is_negated_behind, is_negation
from trees.facts.yes_no_answers import answers_text, denies_name, is_yes_or_no_word, start_of_named_answer
from trees.words import WordToken, is_content_word, is_same_word, normalise, split_words

Stance: TypeAlias = Literal["affirmed", "denied", "unclear"]

_AUXILIARY_VERBS = frozenset(AUXILIARY_VERBS)
# “A class of beams” is no class A.
_ARTICLES = frozenset({"a", "an"})


@dataclass(frozen=True, kw_only=True)
class FieldPhrase:
    """One way to say that a field has a value. An `anchored` one counts only next to the field's name, and if it is
    yes or no (`answers`), only where it answers."""

    field: str
    value: str | bool
    words: tuple[str, ...]
    anchored: bool = False
    answers: bool = False


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


def find_mentions(text: str, fields: Mapping[str, FactField], *, is_reply: bool = False) -> list[FieldMention]:
    """Every option and yes/no field that the text speaks of.

    Where phrases overlap the longer one is meant: “live load” is not also “load”. `is_reply`: the text answers the
    question of the fields, so that a mere “no” does.
    """
    said = split_words(text)
    index: dict[str, list[FieldPhrase]] = {}
    for phrase in (phrase for field in fields.values() for phrase in field_phrases(field)):
        index.setdefault(stem(phrase.words[0]), []).append(phrase)
    found = [
        _build_mention(phrase, said, at, first=first)
        for at, word in enumerate(said)
        for phrase in index.get(word.stem, [])
        if _phrase_starts_at(phrase, said, at)
        and (first := _start_of_mention(phrase, fields[phrase.field], text, said, at, is_reply=is_reply)) is not None
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
    yield from _parse_phrase(field, True, "yes")
    yield from _parse_phrase(field, False, "no")


def _parse_phrase(field: FactField, value: str | bool, text: str) -> Iterator[FieldPhrase]:
    said = _phrase_words(text)
    if said:
        # “A”, “2” and “any” are in many texts that are not about class A, grade 2 or any of it.
        answers = is_yes_or_no_word(said)
        anchored = answers or not any(map(is_content_word, said))
        yield FieldPhrase(field=field.name, value=value, words=said, anchored=anchored, answers=answers)


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


def _start_of_mention(
    phrase: FieldPhrase, field: FactField, text: str, said: list[WordToken], at: int, *, is_reply: bool
) -> int | None:
    """The first word of what the phrase is said in; None where it says nothing of the field."""
    if phrase.answers:
        return _start_of_answer(field, text, said, at, is_reply=is_reply)
    return at if not phrase.anchored or _is_beside_field_name(field, said, at, phrase) else None


def _start_of_answer(field: FactField, text: str, said: list[WordToken], at: int, *, is_reply: bool) -> int | None:
    named = start_of_named_answer(field, text, said, at) if field.named else None
    if named is not None:
        return named
    # The name of a boolean field is a phrase of its own, which a “no” denies.
    is_denial = field.named and field.type != "boolean" and denies_name(field, said, at)
    return at if is_denial or (is_reply and answers_text(text, said, at)) else None


def _is_beside_field_name(field: FactField, said: list[WordToken], at: int, phrase: FieldPhrase) -> bool:
    behind = [] if phrase.words[0] in _ARTICLES else said[at + len(phrase.words) : at + len(phrase.words) + 1]
    beside = said[max(at - 1, 0) : at] + behind
    return any(is_same_word(word.text, part) for word in beside for part in field.words)


def _build_mention(phrase: FieldPhrase, said: list[WordToken], at: int, *, first: int) -> FieldMention:
    last = at + len(phrase.words) - 1
    stance = _detect_stance(said, first, last)
    if first < at and stance == "denied":  # “not exposed: no”
        stance = "unclear"
    if isinstance(phrase.value, bool) and stance == "affirmed" and _is_in_question(said, first, last):
        stance = "unclear"
    return FieldMention(
        field=phrase.field,
        value=phrase.value,
        stance=stance,
        first=first,
        last=last,
        start=said[first].start,
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
            if word.text == "nothing":
                return "denied" if _stands_at(said, index, first) else "unclear"
            if is_foreign_negation(word.text):
                return "unclear"
            is_further = is_further or word.text == "and"
        if word.starts_clause or word.starts_sentence:
            break
    return "affirmed"


def _stands_at(said: list[WordToken], index: int, first: int) -> bool:
    """“Nothing flows”, “nothing was damaged”; but not “nothing wrong with the receipt”."""
    return all(word.text in _AUXILIARY_VERBS for word in said[index + 1 : first])


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
