"""Which option a short reply means that does not say the whole of it: “the platform”, “5 m platform”, “the second
one”."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from language.bound_words import BOUND_WORDS, COMPARATIVES
from language.number_words import ORDINALS, SMALL_NUMBERS
from language.stemming import stem
from trees.definition.fields import FactField
from trees.facts.bounds import ARTICLES
from trees.facts.field_values import has_no_signs
from trees.facts.negation import is_foreign_negation, is_negation
from trees.quantities import find_measures
from trees.words import fold_case, is_content_word, is_same_word, split_words, word_set

_NUMBERS = SMALL_NUMBERS[1:11]
_NUMBER_PATTERN = rf"[1-9]|{'|'.join(_NUMBERS)}"
# Nothing else may stand in the reply: “just a second”, “one second please” and “at last” are no places.
_PLACE = re.compile(
    r"(?!second,?\s+please)(?:the\s+)?"
    rf"(?:(?P<ordinal>last|{'|'.join(ORDINALS)}|[1-9](?:st|nd|rd|th))(?:\s+(?:one|option))?"
    rf"|(?P<kind>option|number|no(?=\.))\.?\s*(?P<number>{_NUMBER_PATTERN}))"
    r"(?:,?\s+please)?[\s.!]*"
)
_BARE_NUMBER = re.compile(rf"(?:the\s+)?({_NUMBER_PATTERN})(?:\s+(?:one|option))?(?:,?\s+please)?[\s.!]*")
_LAST = "last"
# What stands for any of the options: “the 5 metre one”, “the blue option”.
_STANDS_FOR_OPTION = frozenset({"one", "option"})
# They turn round what they stand beside, or say how much of it is meant: an option and a reply that means it have the
# same ones of them.
_TURNING_WORDS = (
    word_set(
        "outside inside before after until till since from without with except former formerly previous previously ex "
        "non semi anti un pre post partly partially half almost fully all both every each either any some only expired "
        "new old no not never"
    )
    | BOUND_WORDS
    | COMPARATIVES
)
# A reply may leave them out, as what it means stays the same without them.
_SMALL_WORDS = ARTICLES | word_set("of in at on by for to i we you it my our your am is are be")


@dataclass(frozen=True, kw_only=True)
class _Word:
    """`counts`: it carries meaning. `is_measured`: it is the number or the unit of “5 m”."""

    text: str
    counts: bool
    is_measured: bool = False


@dataclass(frozen=True, kw_only=True)
class _Options:
    """What the options of a field say, known by their place: the words of each in order, and which options, or
    synonyms of them, have a word; for that, the spellings of words by their stem."""

    words: tuple[tuple[_Word, ...], ...]
    own: Mapping[str, Mapping[str, frozenset[int]]]
    with_synonyms: Mapping[str, Mapping[str, frozenset[int]]]
    has_bounds: bool

    def saying(self, word: str) -> frozenset[int]:
        return _holders(word, self.own)

    def spoken_of_by(self, word: str) -> frozenset[int]:
        return _holders(word, self.with_synonyms)

    def are_all_saying(self, word: str) -> bool:
        return len(self.words) > 1 and len(self.saying(word)) == len(self.words)


def option_of_reply(text: str, field: FactField, *, shown: Sequence[str] = ()) -> str | None:
    """The option that a reply to the field's question means: by words of which one is in no other option, or by its
    place among those that were `shown`.

    None where the reply leaves out what the option depends on, has words of two options, or one that neither the option
    nor the question says, and where something is denied or bounded.
    """
    options = _options_of(field)
    if (found := _find_place(text)) and not options.saying(found["ordinal"] or found["kind"]):
        place = _said_place(found)
        return shown[place] if -len(shown) <= place < len(shown) else None
    option = _option_by_words(text, field, options)
    bare = _BARE_NUMBER.fullmatch(fold_case(text).strip())
    if bare and (place := _place_of_number(bare[1])) < len(field.choices):  # “2” may be the second one, or “2 months”
        return option if [option] == list(shown[place : place + 1]) else None
    return option


def says_place(text: str) -> bool:
    """Whether a text says nothing but the place of an option: “the second one”, “option 2”."""
    return _find_place(text) is not None


def _find_place(text: str) -> re.Match[str] | None:
    return _PLACE.fullmatch(fold_case(text).strip())


def _said_place(found: re.Match[str]) -> int:
    """Counted from 0; -1 for the last one."""
    if found["number"]:
        return _place_of_number(found["number"])
    ordinal = found["ordinal"]
    if ordinal == _LAST:
        return -1
    return int(ordinal[0]) - 1 if ordinal[0].isdigit() else ORDINALS.index(ordinal)


def _place_of_number(number: str) -> int:
    return int(number) - 1 if number.isdigit() else _NUMBERS.index(number)


def _option_by_words(text: str, field: FactField, options: _Options) -> str | None:
    if not has_no_signs(text) or _is_denied(text):
        return None
    words = _words_of(text)
    said = _words_that_count(words, field, options)
    if any(word[0].isdigit() for word in said) and (options.has_bounds or _is_bound(text)):
        return None
    meant = frozenset.intersection(*map(options.saying, said)) if said else frozenset()
    if len(meant) != 1 or not any(options.spoken_of_by(word) == meant for word in said):
        return None
    (place,) = meant
    option = field.choices[place]
    is_sure = has_no_signs(option) and not _is_denied(option) and _says_enough(words, options.words[place], options)
    return option if is_sure else None


def _words_that_count(words: Iterable[_Word], field: FactField, options: _Options) -> list[str]:
    """Those of the reply, without the ones that stand for an option or that the question says and no option does."""
    asked = [*(word.text for word in _words_of(field.question_text) if word.counts), *_STANDS_FOR_OPTION]
    counted = [word.text for word in words if word.counts]
    return [word for word in counted if options.saying(word) or not _is_among(word, asked)]


def _says_enough(reply: Sequence[_Word], option: Sequence[_Word], options: _Options) -> bool:
    """Whether the reply says what the option depends on.

    Of “former employee” the word “employee” says the opposite. Unsaid may be what every option says, a measure (“the
    platform” of “5-metre platform”), and what stands behind a measure that is said (“5 m”).
    """
    if _turning_words(reply) != _turning_words(option):
        return False
    said = [word.text for word in reply]
    are_said = [_is_among(word.text, said) for word in option]
    unsaid = [
        at
        for at, word in enumerate(option)
        if not (are_said[at] or word.is_measured or word.text in _SMALL_WORDS or options.are_all_saying(word.text))
    ]
    measured = [at for at, word in enumerate(option) if word.is_measured and are_said[at]]
    return not unsaid or (bool(measured) and unsaid[0] > measured[-1])


def _turning_words(words: Iterable[_Word]) -> set[str]:
    return {word.text for word in words if word.text in _TURNING_WORDS}


def _is_among(word: str, words: Iterable[str]) -> bool:
    return any(is_same_word(word, other) for other in words)


def _words_of(text: str) -> tuple[_Word, ...]:
    """The words in order; of “5 m” and “5-metre” the number and the name of the unit."""
    measures = find_measures(text)
    found = [
        (word.start, _Word(text=word.text, counts=is_content_word(word.text)))
        for word in split_words(text)
        if not any(word.start < one.end and one.start < word.end for one in measures)
    ]
    for one in measures:
        unit = one.quantity.unit
        names = [f"{one.quantity.number:.12g}", *([unit.name] if unit else [])]
        found += [(one.start, _Word(text=name, counts=True, is_measured=unit is not None)) for name in names]
    return tuple(word for _, word in sorted(found, key=lambda one: one[0]))


def _options_of(field: FactField) -> _Options:
    return _read_options(field.choices, tuple(tuple(field.synonyms.get(option, ())) for option in field.choices))


# Two hundred long options are compared with every reply to their question.
@lru_cache(maxsize=200)
def _read_options(choices: tuple[str, ...], synonyms: tuple[tuple[str, ...], ...]) -> _Options:
    words = tuple(map(_words_of, choices))
    others = [(place, _words_of(text)) for place, texts in enumerate(synonyms) for text in texts]
    return _Options(
        words=words,
        own=_index_words(enumerate(words)),
        with_synonyms=_index_words([*enumerate(words), *others]),
        has_bounds=any(map(_is_bound, choices)),
    )


def _index_words(texts: Iterable[tuple[int, Iterable[_Word]]]) -> dict[str, dict[str, frozenset[int]]]:
    found: dict[str, dict[str, set[int]]] = {}
    for place, words in texts:
        for word in words:
            found.setdefault(stem(word.text), {}).setdefault(word.text, set()).add(place)
    return {one: {word: frozenset(places) for word, places in spelled.items()} for one, spelled in found.items()}


def _holders(word: str, index: Mapping[str, Mapping[str, frozenset[int]]]) -> frozenset[int]:
    spelled = index.get(stem(word), {})
    return frozenset().union(*(places for other, places in spelled.items() if is_same_word(word, other)))


def _is_denied(text: str) -> bool:
    return any(is_negation(word.text) or is_foreign_negation(word.text) for word in split_words(text))


def _is_bound(option: str) -> bool:
    return not has_no_signs(option) or any(word.text in BOUND_WORDS | COMPARATIVES for word in split_words(option))
