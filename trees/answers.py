"""Reading a value that somebody gave as the value a field understands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from trees.fields import NO, YES, Field
from trees.nodes import Scalar, Synonyms
from trees.quantities import equal, in_unit, parse_quantity, show
from trees.words import normalise, same_words, words

Value: TypeAlias = str | float | bool

# Two options that differ in these alone (“< 6 m”, “> 6 m”) are not the same words.
_MEANINGFUL_SIGNS = frozenset("<>=≤≥+%*^~#/")


def understand(value: Scalar, field: Field) -> Value | None:
    """The value as this field holds it; None when the field cannot make sense of it.

    A number in the field's unit, true or false, one of the field's options as its author wrote it,
    or the text itself where any text will do.
    """
    if field.type == "number":
        quantity = parse_quantity(value)
        return None if quantity is None else in_unit(quantity, field.unit)
    if field.type == "boolean":
        return _yes_or_no(value, field.synonyms)
    text = as_text(value)
    if field.type == "text":
        return text
    return match(text, field.options, field.synonyms) or (None if field.closed or not text.strip() else text)


def _yes_or_no(value: Scalar, synonyms: Synonyms) -> bool | None:
    if isinstance(value, bool):
        return value
    said = normalise(str(value))
    if said in YES | NO:
        return said in YES
    found = match(said, list(synonyms), synonyms)
    return None if found is None or normalise(found) not in YES | NO else normalise(found) in YES


def match(text: str, options: Sequence[str], synonyms: Synonyms | None = None) -> str | None:
    """The one option meant by a text: the same but for case, spacing and inflection, or a synonym of it.

    None when no option, or more than one, is meant.
    """
    said = normalise(text)
    if exact := [option for option in options if normalise(option) == said]:
        return exact[0]
    meant = {option for option in options if _same(text, option)}
    for option, others in (synonyms or {}).items():
        if any(normalise(other) == said or _same(text, other) for other in others):
            meant |= {known for known in options if normalise(known) == normalise(option)}
    return meant.pop() if len(meant) == 1 else None


def _same(one: str, other: str) -> bool:
    return is_plain(one) and is_plain(other) and same_words(_texts(one), _texts(other))


def _texts(text: str) -> list[str]:
    return [word.text for word in words(text)]


def is_plain(text: str) -> bool:
    """Whether the words of a text say all of it."""
    return _MEANINGFUL_SIGNS.isdisjoint(text)


def as_text(value: Value, field: Field | None = None) -> str:
    """A value as a person writes it: yes or no, a number with its field's unit."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return show(value, field.unit.symbol if field and field.unit else None)
    return value


def alike(one: Value, other: Value) -> bool:
    """Whether two understood values are the same."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, str) or isinstance(other, str):
        return normalise(str(one)) == normalise(str(other))
    return equal(one, other)
