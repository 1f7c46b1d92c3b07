"""Where a text speaks of a field's options, and whether it affirms them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from trees.answers import is_plain
from trees.fields import NO, YES, Field
from trees.words import STOP_WORDS, Word, normalise, same_word, stem, word_set, words

Stance: TypeAlias = Literal["affirmed", "denied", "unclear"]

NEGATION_REACH = 4
_NEGATORS = word_set(
    "not no non never without neither nor none cannot except excluding unlike instead than "
    "isnt arent wasnt werent dont doesnt didnt cant wont"
)
# What follows these is no longer denied: “not only wet”, “not mild but severe”.
_TURNS = frozenset({"but", "only", "however", "although"})
_AUXILIARIES = frozenset({"is", "are", "was", "were", "does", "do", "did", "has", "have", "can", "will"})


@dataclass(frozen=True, kw_only=True)
class Phrase:
    """One way to say that a field has a value. An `anchored` one counts only next to the field's name."""

    field: str
    value: str | bool
    words: tuple[str, ...]
    anchored: bool = False


@dataclass(frozen=True, kw_only=True)
class Mention:
    """A phrase in a text: from word `first` to word `last`, at `text[start:end]`."""

    field: str
    value: str | bool
    stance: Stance
    first: int
    last: int
    start: int
    end: int


def mentions(text: str, fields: Mapping[str, Field]) -> list[Mention]:
    """Every option and yes/no field that the text speaks of.

    Where phrases overlap the longer one is meant: “live load” is not also “load”.
    """
    said = words(text)
    index = _index(phrase for field in fields.values() for phrase in phrases(field))
    found = [
        _mention(phrase, said, at)
        for at, word in enumerate(said)
        for phrase in index.get(word.stem, [])
        if _starts(phrase, said, at)
        and (not phrase.anchored or _by_its_name(fields[phrase.field], said, at, phrase))
    ]
    return _longest(found)


def phrases(field: Field) -> Iterator[Phrase]:
    """The ways to say what the field holds: options, their synonyms, and for yes/no the field's own name."""
    if field.type == "boolean":
        yield from _yes_no_phrases(field)
    elif field.type != "number":
        yield from _option_phrases(field)


def _option_phrases(field: Field) -> Iterator[Phrase]:
    known = {normalise(option): option for option in field.options}
    for option in field.options:
        yield from _phrase(field, option, option)
    for option, others in field.synonyms.items():
        if normalise(option) in known:
            for other in others:
                yield from _phrase(field, known[normalise(option)], other)


def _yes_no_phrases(field: Field) -> Iterator[Phrase]:
    if field.named:
        yield from _phrase(field, True, " ".join(field.words))
    for key, others in field.synonyms.items():
        if normalise(key) in YES | NO:
            for other in others:
                yield from _phrase(field, normalise(key) in YES, other)


def _phrase(field: Field, value: str | bool, text: str) -> Iterator[Phrase]:
    said = tuple(word.text for word in words(text))
    if said and is_plain(text):
        yield Phrase(field=field.name, value=value, words=said, anchored=all(map(_is_slight, said)))


def _is_slight(word: str) -> bool:
    """“A”, “2” and “any” are in many texts that are not about class A, grade 2 or any of it."""
    return word in STOP_WORDS or len(word) == 1 or word.isdigit()


def _index(found: Iterable[Phrase]) -> dict[str, list[Phrase]]:
    index: dict[str, list[Phrase]] = {}
    for phrase in found:
        index.setdefault(stem(phrase.words[0]), []).append(phrase)
    return index


def _starts(phrase: Phrase, said: list[Word], at: int) -> bool:
    here = said[at : at + len(phrase.words)]
    return (
        len(here) == len(phrase.words)
        and not any(word.sentence_start for word in here[1:])
        and all(same_word(word.text, part) for word, part in zip(here, phrase.words, strict=True))
    )


def _by_its_name(field: Field, said: list[Word], at: int, phrase: Phrase) -> bool:
    beside = said[max(at - 1, 0) : at] + said[at + len(phrase.words) : at + len(phrase.words) + 1]
    return any(same_word(word.text, part) for word in beside for part in field.words)


def _mention(phrase: Phrase, said: list[Word], at: int) -> Mention:
    last = at + len(phrase.words) - 1
    stance = _stance(said, at)
    if isinstance(phrase.value, bool) and stance == "affirmed" and _is_asked(said, at, last):
        stance = "unclear"
    return Mention(
        field=phrase.field,
        value=phrase.value,
        stance=stance,
        first=at,
        last=last,
        start=said[at].start,
        end=said[last].end,
    )


def _stance(said: list[Word], at: int) -> Stance:
    """Whether the words before deny what follows. “Not wet and cold” leaves cold unclear."""
    crossed_and = False
    for index in range(at, max(at - NEGATION_REACH - 1, -1), -1):
        word = said[index]
        if index < at:
            if word.text in _TURNS:
                break
            if word.text in _NEGATORS or word.text.endswith("n't"):
                return "unclear" if crossed_and else "denied"
            crossed_and = crossed_and or word.text == "and"
        if word.clause_start or word.sentence_start:
            break
    return "affirmed"


def _is_asked(said: list[Word], first: int, last: int) -> bool:
    """“Is the beam exposed?” asks it; “Is 40 mm enough for an exposed beam?” says it."""
    opening = next(said[index] for index in range(first, -1, -1) if said[index].sentence_start)
    closes = last + 1 == len(said) or said[last + 1].sentence_start
    return opening.text in _AUXILIARIES and closes


def _longest(found: list[Mention]) -> list[Mention]:
    """Those that do not lie within a longer one."""
    reach: dict[int, int] = {}
    for one in found:
        reach[one.first] = max(one.last, reach.get(one.first, 0))
    widest = max((last - first for first, last in reach.items()), default=0)

    def is_covered(one: Mention) -> bool:
        starts = range(one.first - widest, one.first + 1)
        return any(
            reach.get(first, -1) >= one.last and reach[first] - first > one.last - one.first for first in starts
        )

    return [one for one in found if not is_covered(one)]
