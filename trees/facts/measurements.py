"""Which number in a text belongs to which field of a tree."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile

from language.bound_words import BOUND_WORDS, COMPARATIVES
from language.stemming import stem
from language.units import are_units_comparable
from trees.definition.fields import FactField
from trees.facts.bounds import (
    ARTICLES,
    NOT_YET_WORDS,
    WORDS_BEHIND,
    Bound,
    bound_before,
    find_bound,
    sentence_start,
)
from trees.facts.negation import is_contrast, is_foreign_negation, is_negation
from trees.facts.number_ranges import NumberRange, range_of
from trees.quantities import QuantityMention, find_measures, find_unit, nearly_equal
from trees.words import WordToken, is_content_word, is_same_word, split_identifier, split_words, word_set

_LINK_WORDS = word_set(
    "is are was were be being of equal equals to at about around approximately approx roughly exactly a an "
    "the value set given as measuring measures has with"
)
_ALTERNATIVE_WORDS = frozenset({"or", "to", "-", "–", "/", "vs", "versus"})
_JOINTS = frozenset({"and", "or", "to", ",", "&", "+", "/", "-", "–"})
_MEASURE_LINKS = word_set("is are was were be of measures equals a an the about approximately approx roughly exactly")
_WORDS_BEHIND_A_NUMBER = word_set("and in for with")
_WORDS_BEHIND_A_THING = _WORDS_BEHIND_A_NUMBER | word_set("at on of under")
_TELLS_ANOTHER_THING = word_set("of at is are or every each than")
_HEDGES = frozenset({"yet", "even", "quite", "still"})
_LINK_WINDOW = 5
_SENTENCE_WINDOW = 100

MAX_MEASURES = 50


@dataclass(frozen=True, kw_only=True)
class NumberReading:
    """The number a text gives for a field: in the field's unit, or the `bound` of it. Both are None when the text
    leaves it unclear."""

    number: float | None
    start: int
    end: int
    bound: NumberRange | None = None

    @property
    def is_clear(self) -> bool:
        return self.number is not None or self.bound is not None


def read_numbers(text: str, fields: Mapping[str, FactField]) -> dict[str, NumberReading]:
    """The numbers the text gives for the number fields, by field.

    A number belongs to the field whose name it stands by (“span of 6 m”, “6 m span”). One that stands by no
    name belongs to a field that the text does not name at all, when it is written in that field's own unit
    and no other field measures the same kind of thing. A choice (“4 or 6 m”) is unclear, and of a bound
    (“over 6 m”) the range is known. Where the last word of a name is nowhere in the text, a word that no other
    field has names the field (“10 mm bars” for `bar_diameter`).
    """
    numeric = {name: field for name, field in fields.items() if field.type == "number"}
    if not numeric:
        return {}
    scene = _TextNumbers.of(text)
    if not scene.spots:
        return {}
    named = scene.named(numeric)
    telling = _telling_words(fields)
    named |= scene.named_in_part(numeric, telling, named)
    found = {name: scene.reading(numeric[name], taken) for name, taken in named.items()}
    for name, field in numeric.items():
        if name not in found and (taken := scene.numbers_in_unit(field, numeric, named, telling[name])):
            found[name] = scene.reading(field, taken)
    return found


def read_bound(text: str, field: FactField) -> NumberReading | None:
    """The bound that the whole text is, as an answer to the field's question: “over 18”."""
    scene = _TextNumbers.of(text)
    if field.type != "number" or len(scene.spots) != 1:
        return None
    reading = scene.reading(field, [0])
    rest = (text[: reading.start] + text[reading.end :]).casefold()
    is_whole = rest.strip(" .!") in ("", "times")
    return reading if reading.bound and is_whole else None


@dataclass(frozen=True, kw_only=True)
class _NumberContext:
    """A number in a text, with the words around it: those of its `sentence` before it, over line breaks too, and the
    nearest ones."""

    measure: QuantityMention
    sentence: list[WordToken]
    before: list[WordToken]
    after: list[WordToken]
    starts_clause: bool

    @classmethod
    def of(cls, text: str, measure: QuantityMention, said: list[WordToken]) -> _NumberContext:
        first = bisect_left(said, measure.start, key=lambda word: word.start)
        past = bisect_left(said, measure.end, key=lambda word: word.start)
        since = next((at for at in range(first, -1, -1) if at < len(said) and said[at].starts_sentence), 0)
        sentence = bisect_left(said, sentence_start(text, measure.start), key=lambda word: word.start)
        return cls(
            measure=measure,
            sentence=said[max(sentence, first - _SENTENCE_WINDOW) : first],
            before=said[max(since, first - _LINK_WINDOW) : first],
            after=said[past : past + WORDS_BEHIND],
            starts_clause=first < len(said) and said[first].starts_clause,
        )

    def distance(self, name: list[str]) -> int | None:
        """How many words stand between the number and a name that it belongs to; None when it does not."""
        before = self.distance_before(name)
        return before if before is not None else self.distance_after(name)

    def distance_before(self, name: list[str]) -> int | None:
        """“Span of 6 m”, “span (m) = 6”."""
        for distance, word in enumerate(reversed(self.before)):
            if is_same_word(word.text, name[-1]):
                return distance
            if word.text not in _LINK_WORDS | BOUND_WORDS | COMPARATIVES and not find_unit(word.text):
                return None
        return None

    def distance_after(self, name: list[str]) -> int | None:
        """“6 m span”, “45 mm of nominal cover”."""
        for distance, word in enumerate(self.after[:3]):
            if word.starts_clause:
                return None
            if is_same_word(word.text, name[-1]):
                return distance
            if word.text != "of" and word.text not in ARTICLES and word.text not in name:
                return None
        return None

    def is_beside(self, words: frozenset[str]) -> bool:
        """“10 mm bars”, “bars of 10 mm”, and nothing that says what else of them it is: “200 mm bar spacing”."""
        after = takewhile(lambda word: not word.starts_clause, self.after)
        behind = [word.text for word in after][:2]
        if behind and _is_among(behind[0], words):
            return self.is_introduced() and set(behind[1:]) <= _WORDS_BEHIND_A_THING
        before = [word.text for word in self.before]
        thing = before[-2:-1] if before[-1:] == ["of"] else before[-1:]
        is_named = bool(thing) and _is_among(thing[0], words) and not self.starts_clause
        return is_named and set(behind[:1]) <= _WORDS_BEHIND_A_NUMBER

    def is_introduced(self) -> bool:
        """“With 10 mm bars”, as opposed to “cover of 10 mm bars”."""
        nearest = [] if self.starts_clause else [word.text for word in self.before[-1:]]
        return not any(is_content_word(word) or word in _TELLS_ANOTHER_THING for word in nearest)

    def is_said_of(self, words: frozenset[str]) -> bool:
        """“The wall is about 200 mm”: only links stand between one of these words and the number."""
        if self.after and not self.after[0].starts_clause and self.after[0].text not in _WORDS_BEHIND_A_NUMBER:
            return False
        before = [word.text for word in reversed(self.before)]
        nearest = next((word for word in before if word not in _MEASURE_LINKS), "")
        return _is_among(nearest, words)

    def is_denied(self) -> bool:
        """“Not yet 18 years old”: with at most one word of another kind between the negation and the number."""
        others = 0
        if self.starts_clause:
            return False
        for word in reversed(self.before):
            if is_negation(word.text) or is_foreign_negation(word.text) or word.text in NOT_YET_WORDS:
                return True
            others += word.text not in _LINK_WORDS and word.text not in BOUND_WORDS and word.text not in _HEDGES
            if others > 1 or word.starts_clause or is_contrast(word.text):
                return False
        return False

    def bound(self, text: str) -> Bound | None:
        return find_bound(text, self.measure, sentence=self.sentence, after=self.after)


@dataclass(frozen=True, kw_only=True)
class _TextNumbers:
    """A text with its numbers. They are known by their place in `spots`."""

    text: str
    spots: list[_NumberContext]
    bounds: list[Bound | None]
    stems: frozenset[str]

    @classmethod
    def of(cls, text: str) -> _TextNumbers:
        said, measures = split_words(text), find_measures(text)[:MAX_MEASURES]
        spots = [_NumberContext.of(text, measure, said) for measure in measures]
        # “10 days” says “days” as a unit, and does not name a field “working_days”.
        in_measures = {at for measure in measures for at in range(measure.start, measure.end)}
        stems = frozenset(word.stem for word in said if word.start not in in_measures)
        return cls(text=text, spots=spots, bounds=[spot.bound(text) for spot in spots], stems=stems)

    def named(self, fields: Mapping[str, FactField]) -> dict[str, list[int]]:
        """The numbers that stand by the name of each field."""
        taken: dict[str, list[int]] = {}
        for number in range(len(self.spots)):
            scores = {name: score for name, field in fields.items() if (score := self.nearness(field, number))}
            best = max(scores.values(), default=None)
            winners = [name for name, score in scores.items() if score == best]
            if len(winners) == 1:
                taken.setdefault(winners[0], []).append(number)
        return taken

    def named_in_part(
        self,
        fields: Mapping[str, FactField],
        telling: Mapping[str, frozenset[str]],
        named: Mapping[str, list[int]],
    ) -> dict[str, list[int]]:
        """The further numbers that stand by a word which only one field's name has, in that field's own unit."""
        spoken_for = {number for numbers in named.values() for number in numbers}
        claims: dict[str, list[int]] = {}
        for name, field in fields.items():
            if name not in named and field.unit and not self.mentions_field(field):
                own = [number for number in self.in_unit(field) if number not in spoken_for]
                claims[name] = [number for number in own if self.spots[number].is_beside(telling[name])]
        counts = Counter(number for numbers in claims.values() for number in numbers)
        return {
            name: self.with_joined(numbers, spoken_for)
            for name, numbers in claims.items()
            if numbers and all(counts[number] == 1 for number in numbers)
        }

    def with_joined(self, numbers: list[int], spoken_for: set[int]) -> list[int]:
        """Of “12 and 16 mm bars” both numbers."""
        joined = [one - 1 for one in numbers if one and one - 1 not in spoken_for and self.are_joined(one - 1)]
        return [*numbers, *joined]

    def are_joined(self, number: int) -> bool:
        gap = self.text[self.spots[number].measure.end : self.spots[number + 1].measure.start].strip().casefold()
        return gap in _JOINTS

    def nearness(self, field: FactField, number: int) -> tuple[int, int] | None:
        """How close the field's name is to a number, and how much of it is there; None: it does not fit."""
        spot = self.spots[number]
        quantity = spot.measure.quantity
        if field.number_of(quantity) is None or (quantity.unit and not (field.unit or field.counted_units)):
            return None
        distances = [(name, spot.distance(name)) for name in field_names(field)]
        near = [(-distance, self.spelled(name)) for name, distance in distances if distance is not None]
        return max(near, default=None)

    def spelled(self, name: list[str]) -> int:
        return sum(stem(part) in self.stems for part in name)

    def numbers_in_unit(
        self,
        field: FactField,
        fields: Mapping[str, FactField],
        named: Mapping[str, list[int]],
        telling: frozenset[str],
    ) -> list[int]:
        """The numbers in the field's own unit, when the text leaves no doubt that they are its: because no other field
        measures the same, or each of these has its number, one is left, and the field is spoken of."""
        if field.unit is None or self.mentions_field(field):
            return []
        rivals = [
            name for name, one in fields.items() if name != field.name and one.unit and _measure_the_same(one, field)
        ]
        spoken_for = {number for numbers in named.values() for number in numbers}
        left = [number for number in self.in_unit(field) if number not in spoken_for]
        if not rivals:
            return left
        is_settled = all(
            name in named and self.reading(fields[name], named[name]).number is not None for name in rivals
        )
        return left if is_settled and len(left) == 1 and self.spots[left[0]].is_said_of(telling) else []

    def in_unit(self, field: FactField) -> list[int]:
        """The numbers in the field's own unit; where it has none of these, those that count for it as written."""
        units = [one.measure.quantity.unit for one in self.spots]
        exact = [number for number, unit in enumerate(units) if unit == field.unit]
        return exact or [number for number, unit in enumerate(units) if unit and field.counts_as_written(unit)]

    def mentions_field(self, field: FactField) -> bool:
        return any(stem(name[-1]) in self.stems for name in field_names(field))

    def reading(self, field: FactField, taken: list[int]) -> NumberReading:
        numbers = [field.number_of(self.spots[number].measure.quantity) for number in taken]
        first = numbers[0]
        clear = (
            first is not None
            and all(number is not None and nearly_equal(number, first) for number in numbers)
            and not any(self.is_unclear(number) for number in taken)
        )
        start, end = self.span(taken[0])
        return NumberReading(
            number=first if clear else None, start=start, end=end, bound=None if clear else self.bound(field, taken)
        )

    def bound(self, field: FactField, taken: list[int]) -> NumberRange | None:
        """Where all of these numbers say the field's value to lie."""
        ranges = {self.range_of_bound(field, number) for number in taken}
        return ranges.pop() if len(ranges) == 1 else None

    def range_of_bound(self, field: FactField, number: int) -> NumberRange | None:
        found, limit = self.bounds[number], field.number_of(self.spots[number].measure.quantity)
        if found is None or found.operator is None or limit is None or self.is_one_of_several(number):
            return None
        return range_of(found.operator, limit)

    def span(self, number: int) -> tuple[int, int]:
        """From where to where the number and the words of its bound stand."""
        one = self.bounds[number] or self.spots[number].measure
        return one.start, one.end

    def is_unclear(self, number: int) -> bool:
        return self.spots[number].is_denied() or self.bounds[number] is not None or self.is_one_of_several(number)

    def is_one_of_several(self, number: int) -> bool:
        neighbours = [pair for pair in (number - 1, number) if 0 <= pair < len(self.spots) - 1]
        return any(self.are_alternatives(pair) for pair in neighbours)

    def are_alternatives(self, number: int) -> bool:
        one, other = self.spots[number], self.spots[number + 1]
        gap = self.text[one.measure.end : other.measure.start].strip().casefold()
        return gap in _ALTERNATIVE_WORDS or (gap == "and" and self.is_bound_before(number))

    def is_bound_before(self, number: int) -> bool:
        one = self.spots[number]
        return bound_before(self.text, one.measure, one.sentence) is not None


def field_names(field: FactField) -> list[list[str]]:
    """The ways to name a number field: its name, and the synonyms given under its name."""
    own = [field.words] if field.named else []
    own += [split_identifier(other) for others in field.synonyms.values() for other in others]
    return [name for name in own if name and not all(part.isdigit() for part in name)]


def _telling_words(fields: Mapping[str, FactField]) -> dict[str, frozenset[str]]:
    """By number field, the words of its name that no other field's name and no option has."""
    holders = Counter(one for field in fields.values() for one in _stems_of_field(field))
    return {
        name: frozenset(word for word in field.words if holders[stem(word)] == 1 and _can_tell(word, field))
        for name, field in fields.items()
        if field.type == "number"
    }


def _can_tell(word: str, field: FactField) -> bool:
    is_said = field.named and is_content_word(word)
    return is_said and word not in BOUND_WORDS | _LINK_WORDS and not _is_unit_of(word, field)


def _stems_of_field(field: FactField) -> set[str]:
    synonyms = (other for others in field.synonyms.values() for other in others)
    texts = (field.name, *field.options, *field.synonyms, *synonyms)
    return {one for text in texts for one in _stems_of(text)}


# The options of every tree are read with every question that has a number.
@lru_cache(maxsize=20_000)
def _stems_of(text: str) -> frozenset[str]:
    return frozenset(map(stem, split_identifier(text)))


def _is_unit_of(word: str, field: FactField) -> bool:
    unit = find_unit(word)
    return unit is not None and field.unit is not None and are_units_comparable(unit.name, field.unit.name)


def _is_among(word: str, words: frozenset[str]) -> bool:
    return any(is_same_word(word, one) for one in words)


def _measure_the_same(one: FactField, other: FactField) -> bool:
    """Whether a quantity may be meant for either: of two that count days and working days “10 days” leaves it open."""
    units = [{of.unit, *(of.counted_units or ())} - {None} for of in (one, other)]
    return any(are_units_comparable(left.name, right.name) for left in units[0] for right in units[1] if left and right)
