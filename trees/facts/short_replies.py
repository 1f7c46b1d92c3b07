"""Which option a short reply means that does not say the whole of it: “the platform”, “5 m platform”, “the second
one”."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from language.number_words import ORDINALS
from trees.definition.fields import FactField
from trees.facts.bounds import BOUND_WORDS, COMPARATIVES
from trees.facts.field_values import has_no_signs
from trees.facts.negation import is_foreign_negation, is_negation
from trees.quantities import find_measures
from trees.words import is_content_word, is_same_word, split_words

# What stands for any of the options: “the second one”, “the last option”.
_STANDS_FOR_OPTION = frozenset({"one", "option"})
_LAST = "last"
_ORDINAL_DIGITS = re.compile(r"([1-9])(?:st|nd|rd|th)")


def option_of_reply(text: str, field: FactField, *, shown: Sequence[str] = ()) -> str | None:
    """The option that a reply to the field's question means: by words of which one is in no other option, or by its
    place among those that were `shown`.

    None where the reply has words of two options, or one that neither the option nor the question says, and where
    something is denied or bounded.
    """
    if (place := _option_place(text)) is not None and not any(
        _says(option, _place_words(text)) for option in field.choices
    ):
        return shown[place] if -len(shown) <= place < len(shown) else None
    if not has_no_signs(text) or _is_denied(text):
        return None
    said = _words_that_count(text, field)
    if any(word[0].isdigit() for word in said) and any(map(_is_bound, [text, *field.choices])):
        return None
    meant = [option for option in field.choices if _is_meant(option, said, field)]
    return meant[0] if len(meant) == 1 else None


def says_place(text: str) -> bool:
    """Whether a text says nothing but the place of an option: “the second one”."""
    return _option_place(text) is not None


def _option_place(text: str) -> int | None:
    """Counted from 0; -1 for the last one."""
    words = _place_words(text)
    if len(words) != 1 or _is_denied(text):
        return None
    if words[0] == _LAST:
        return -1
    if digit := _ORDINAL_DIGITS.fullmatch(words[0]):
        return int(digit.group(1)) - 1
    return ORDINALS.index(words[0]) if words[0] in ORDINALS else None


def _place_words(text: str) -> list[str]:
    words = [word.text for word in split_words(text)]
    return [word for word in words if is_content_word(word) and word not in _STANDS_FOR_OPTION]


def _words_that_count(text: str, field: FactField) -> list[str]:
    """Those of the reply, without the ones that stand for an option or that the question says and no option does."""
    asked = [*_words_and_units(field.question_text), *_STANDS_FOR_OPTION]
    return [
        word
        for word in _words_and_units(text)
        if not _is_among(word, asked) or any(_says(option, [word]) for option in field.choices)
    ]


def _is_meant(option: str, said: Sequence[str], field: FactField) -> bool:
    """Whether the option has all the words, and one that no other option nor a synonym of another has."""
    if not has_no_signs(option) or _is_denied(option) or not _says(option, said):
        return False
    others = [other for other in field.choices if other != option]
    texts = [*others, *(text for other in others for text in field.synonyms.get(other, ()))]
    taken = [word for text in texts for word in _words_and_units(text)]
    return any(not _is_among(word, taken) for word in said)


def _says(option: str, words: Iterable[str]) -> bool:
    said = _words_and_units(option)
    return all(_is_among(word, said) for word in words)


def _is_among(word: str, words: Iterable[str]) -> bool:
    return any(is_same_word(word, other) for other in words)


def _words_and_units(text: str) -> list[str]:
    """The words that carry meaning; of “5 m” and “5-metre” the number and the name of the unit."""
    measures = find_measures(text)
    words = [
        word.text
        for word in split_words(text)
        if is_content_word(word.text) and not any(word.start < one.end and one.start < word.end for one in measures)
    ]
    for one in measures:
        words.append(f"{one.quantity.number:g}")
        words += [one.quantity.unit.name] if one.quantity.unit else []
    return words


def _is_denied(text: str) -> bool:
    return any(is_negation(word.text) or is_foreign_negation(word.text) for word in split_words(text))


def _is_bound(option: str) -> bool:
    return not has_no_signs(option) or any(word.text in BOUND_WORDS | COMPARATIVES for word in split_words(option))
