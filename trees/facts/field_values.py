"""Turns a value that somebody gave into a value of the field's type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from trees.definition.fields import NO, YES, FactField
from trees.definition.nodes import Scalar, Synonyms
from trees.quantities import format_number, nearly_equal, parse_quantity, parse_spoken_quantity
from trees.words import are_same_words, normalise, split_words

Value: TypeAlias = str | float | bool

# Options that differ only in these signs (“< 6 m”, “> 6 m”) are different.
_MEANINGFUL_SIGNS = frozenset("<>=≤≥+%*^~#/")


def parse_value(value: Scalar, field: FactField) -> Value | None:
    """The value in the field's type; None if it is not a value of the field.

    The result is a number in the field's unit, true or false, one of the field's options as its author wrote it, or the
    text itself if the field takes any text.
    """
    if field.type == "number":
        quantity = parse_quantity(value) or (parse_spoken_quantity(value) if isinstance(value, str) else None)
        return None if quantity is None else field.number_of(quantity)
    if field.type == "boolean":
        return _parse_yes_no(value, field.synonyms)
    text = format_value(value)
    if field.type == "text":
        return text
    return match_option(text, field.options, field.synonyms) or (None if field.closed or not text.strip() else text)


def _parse_yes_no(value: Scalar, synonyms: Synonyms) -> bool | None:
    if isinstance(value, bool):
        return value
    said = normalise(str(value))
    if said in YES | NO:
        return said in YES
    found = match_option(said, list(synonyms), synonyms)
    return None if found is None or normalise(found) not in YES | NO else normalise(found) in YES


def match_option(text: str, options: Sequence[str], synonyms: Synonyms | None = None) -> str | None:
    """The option that a text means: the same text but for case, spacing and inflection, or a synonym of it.

    None if the text means no option, or more than one.
    """
    if (exact := _index_texts(tuple(options)).exact.get(normalise(text))) is not None:
        return exact
    meant = set(_same_texts(text, options))
    for option, others in (synonyms or {}).items():
        if normalise(text) in _index_texts(tuple(others)).exact or _same_texts(text, others):
            meant |= {known for known in options if normalise(known) == normalise(option)}
    return meant.pop() if len(meant) == 1 else None


@dataclass(frozen=True, kw_only=True)
class _TextIndex:
    """Finds a text among others without comparing it with each: by its `normalise`d form (the first of equals), and by
    the stems of its words, if these are all that the text says."""

    exact: Mapping[str, str]
    by_stems: Mapping[tuple[str, ...], tuple[str, ...]]


@lru_cache(maxsize=500)
def _index_texts(texts: tuple[str, ...]) -> _TextIndex:
    by_stems: dict[tuple[str, ...], tuple[str, ...]] = {}
    for text in filter(has_no_signs, texts):
        stems = tuple(word.stem for word in split_words(text))
        by_stems[stems] = (*by_stems.get(stems, ()), text)
    by_stems.pop((), None)
    return _TextIndex(exact={normalise(text): text for text in reversed(texts)}, by_stems=by_stems)


def _same_texts(text: str, others: Sequence[str]) -> list[str]:
    """The other texts that consist of the same words, in any inflection."""
    words = split_words(text) if has_no_signs(text) else []
    alike = _index_texts(tuple(others)).by_stems.get(tuple(word.stem for word in words), ())
    said = [word.text for word in words]
    return [other for other in alike if are_same_words(said, [word.text for word in split_words(other)])]


def has_no_signs(text: str) -> bool:
    """Whether the text has no signs that carry meaning, so that its words say all of it."""
    return _MEANINGFUL_SIGNS.isdisjoint(text)


def format_value(value: Value, field: FactField | None = None) -> str:
    """A value as a person writes it: yes or no, or a number with the field's unit."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return format_number(value, field.unit.symbol if field and field.unit else None)
    return value


def are_same_values(one: Value, other: Value) -> bool:
    """Whether two parsed values are the same."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, str) or isinstance(other, str):
        return normalise(str(one)) == normalise(str(other))
    return nearly_equal(one, other)
