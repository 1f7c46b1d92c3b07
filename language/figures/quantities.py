"""Quantities in a text: numbers as people write them, with scale, unit, range, and the bound they stand under."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache

from language.cache_sizes import CACHED_SENTENCES
from language.figures.bounds import Bound, find_bounds, trailing_bound, trailing_bound_end
from language.figures.figure_types import TOLERANCE, Quantity
from language.lazy_pattern import lazy_pattern
from language.number_words import AND_A_HALF, FRACTION_WORD_PATTERN, NUMBER_WORD_PATTERN, SCALES, parse_number_words
from language.terms import terms
from language.units import CURRENCY_PATTERN, UNIT_PATTERN, parse_unit

_DIGITS = (
    r"(?:\d{1,3}(?:,\d{3}){1,6}(?!\d)"  # 1,500
    r"|\d{1,2}(?:,\d{2}){1,4},\d{3}(?!\d)"  # 1,50,000
    r"|\d{1,3}(?:[\u00a0\u2009\u202f]\d{3}){1,5}(?!\d)"
    rf"|\d{{1,3}}(?: \d{{3}}){{1,5}}(?=(?:\.\d{{1,15}})? ?(?:{UNIT_PATTERN}))"  # 1 500 mm
    r"|\d{1,30})(?:\.\d{1,15})?|\.\d{1,15}"
)
_SIGN = r"(?:(?<![\w)])[-+](?=[\d.$€£₹¥])|(?:±|\+/-) ?)?"
# Behind a number in digits there are more than in a number in words.
_SCALE_WORDS = SCALES | {"bn": 10**9, "trillion": 10**12}
_SCALE_WORDS |= {"lakh": 10**5, "lakhs": 10**5, "crore": 10**7, "crores": 10**7}
_SCALE_LETTERS = {"k": 1000, "m": 10**6, "b": 10**9}


def _number_pattern(n: int) -> str:
    """One number; its groups end in `n`, for a range has two."""
    return (
        rf"(?P<sign{n}>{_SIGN})(?P<money{n}>{CURRENCY_PATTERN})?"
        rf"(?P<mixed{n}>\d{{1,4}} (?=\d{{1,4}}/\d))?(?P<value{n}>{_DIGITS})"
        rf"(?:/(?P<under{n}>\d{{1,4}})(?![\d/]))?"
        rf"(?: ?[x*] ?10\^?(?P<power{n}>-?\d{{1,2}})(?!\d)|[eE](?P<exponent{n}>[-+]?\d{{1,2}})(?!\w)"
        rf"|\^(?P<raised{n}>-?\d{{1,2}}))?"
        rf"(?:[ -]?(?P<scale{n}>(?ai:{'|'.join(_SCALE_WORDS)}))\b|(?(money{n})(?P<short{n}>[kKmMB])\b))?"
        rf"(?P<unit{n}>[ \u00a0-]?(?:{UNIT_PATTERN}))?"
    )


_NUMBER_OR_RANGE = lazy_pattern(
    rf"(?P<between>\b[Bb]etween )?(?<![\w.,/]){_number_pattern(1)}"
    rf"(?:(?P<to> ?- ?| (?:down |up )?to (?:up to )?| and ){_number_pattern(2)})?",
)
_NUMBER_IN_WORDS = lazy_pattern(
    rf"(?<![\w-])(?P<words>{FRACTION_WORD_PATTERN}"
    rf"|{NUMBER_WORD_PATTERN}(?:(?:-|[ ]|[ ]and[ ]){NUMBER_WORD_PATTERN}){{0,6}}(?:{AND_A_HALF})?)(?!\w|-\w+-)"
    rf"(?P<unit>[ -]?(?:{UNIT_PATTERN}))?",
    re.IGNORECASE,
)
# "One day we …" counts no days.
_SOME_DAY = lazy_pattern(r"one\sday,?\s(?:I|we|you|he|she|they)\b", re.IGNORECASE)
# Nobody knows how many "several hundred" are.
_VAGUE_COUNT = lazy_pattern(r"\b(?:several|few|many|couple\sof|half\sa)\s$", re.IGNORECASE)
_LONGEST_VAGUE_COUNT = 12
_HEADER_UNIT = lazy_pattern(
    rf"[(\[] ?(?:in )?(?P<a>{UNIT_PATTERN}) ?[)\]]|\bin (?P<b>{UNIT_PATTERN})"
    rf"|, ?(?P<c>{UNIT_PATTERN})(?= ?[:|\n])|(?P<d>%)"
)
_LIST_JOINT = lazy_pattern(r" ?(?:,|,? ?(?:and|or|to|by)|x|/|;|&) ?")
_COUNTED_NOUN = lazy_pattern(r"[ -]([a-z]{3,30})\b")
_NOT_COUNTED_WORDS = """
and for with from the per are were was has have which that than when while but where only each more less
then not nor may must shall can will should under over above below into onto upon until unless except
depending respectively minimum maximum percent
"""
_NOT_COUNTED = frozenset(_NOT_COUNTED_WORDS.split())
# "After six hours" bounds a time as "within six hours" does, on the other side.
_TIME_SIDE = lazy_pattern(r"\b(after|before)\s$", re.IGNORECASE)
_FROM = lazy_pattern(r"\bfrom\s$", re.IGNORECASE)
_FAR_REACH, _NEAR_REACH = 90, 26
_BOUND_BREAK = lazy_pattern(r"[.;|\n]\s")


def read_quantities(text: str) -> list[Quantity]:
    """Numbers in digits, of a text with decimal points."""
    return [quantity for match in _NUMBER_OR_RANGE.finditer(text) for quantity in _match_quantities(text, match)]


def _match_quantities(text: str, match: re.Match[str]) -> Iterator[Quantity]:
    first = _single_quantity(match, "1")
    if match["to"] is None:
        yield first
        return
    second = _single_quantity(match, "2")
    is_list = match["to"].strip() == "and" and not match["between"]
    if first.low > second.low and (match["to"].startswith(" down") or _counts_down(text, match, second)):
        low, high = second.low, first.low
        first, second = replace(first, low=low, high=low), replace(second, low=high, high=high)
    units = first.units if first.units != ("",) else second.units
    if is_list or first.low >= second.low or units != second.units:
        yield replace(first, units=tuple(dict.fromkeys([*first.units, *second.units])) if is_list else first.units)
        yield second
    else:
        start, end = first.start, second.end
        written = text[start:end]
        yield replace(first, written=written, start=start, end=end, high=second.low, units=units)


@cache
def _units_counted_down() -> frozenset[str]:
    return frozenset(map(parse_unit, ("hours", "days", "weeks", "months")))


def _counts_down(text: str, match: re.Match[str], last: Quantity) -> bool:
    """Whether a range of times begins with the longer one, as terms before a date do: "60 to 30 days before arrival".
    "From 60 to 30 days" may be a change."""
    is_range = match["to"].strip(" -") in ("", "to") and not last.bound
    return (
        is_range
        and last.units[0] in _units_counted_down()
        and not _FROM.search(text[max(0, match.start() - 6) : match.start()])
    )


def _single_quantity(match: re.Match[str], n: str) -> Quantity:
    given = {name[:-1]: value for name, value in match.groupdict().items() if name.endswith(n)}
    start = min(match.start(name + n) for name in ("sign", "money", "value") if given[name])
    ends = (match.end(name + n) for name in given if given[name])
    value, end = _parsed_value(given), max(ends)
    unit = parse_unit((given["unit"] or "").strip(" -\u00a0"))
    if given["unit"] and not unit:
        end = match.start("unit" + n)
    if given["money"]:
        unit = parse_unit(given["money"].strip(" .").replace("US$", "$").replace("Rs", "INR"))
    bound = TOLERANCE if (given["sign"] or "").strip() in ("±", "+/-") else ""
    written = match.string[start:end]
    return Quantity(written=written, start=start, end=end, low=value, high=value, units=(unit,), bound=bound)


def _parsed_value(given: dict[str, str | None]) -> Fraction:
    digits = re.sub(r"[,\s]", "", given["value"] or "")
    value = Fraction(f"0{digits}" if digits.startswith(".") else digits)
    if given["raised"] and value:
        value = Fraction(value ** int(given["raised"]))
    if under := int(given["under"] or 0):
        value = value / under
    value += int(given["mixed"] or 0)
    value *= Fraction(10) ** int(given["power"] or given["exponent"] or 0)
    value *= _SCALE_WORDS.get((given["scale"] or "").lower(), 1) * _SCALE_LETTERS.get((given["short"] or "").lower(), 1)
    return -value if (given["sign"] or "") == "-" else value


def read_number_words(text: str) -> Iterator[Quantity]:
    """Numbers in words. A lone "one" counts only before a unit, and "one day we …" is no number of days."""
    for match in _NUMBER_IN_WORDS.finditer(text):
        value = parse_number_words(match["words"])
        unit = parse_unit((match["unit"] or "").strip(" -"))
        if value is None or (match["words"].lower() == "one" and not unit):
            continue
        if unit == "day" and _SOME_DAY.match(text, match.start()):
            continue
        if _VAGUE_COUNT.search(text, max(0, match.start() - _LONGEST_VAGUE_COUNT), match.start()):
            continue
        end = match.end() if unit else match.end("words")
        written = text[match.start() : end]
        yield Quantity(written=written, start=match.start(), end=end, low=value, high=value, units=(unit,))


@lru_cache(maxsize=CACHED_SENTENCES)
def header_units(words: str) -> frozenset[str]:
    """Units that stand by no number: "Nominal cover (mm)", "in metres"."""
    found = (match["a"] or match["b"] or match["c"] or match["d"] for match in _HEADER_UNIT.finditer(words))
    return frozenset(unit for spelling in found if (unit := parse_unit(spelling)))


def add_context(text: str, quantities: Sequence[Quantity]) -> tuple[Quantity, ...]:
    """The same with what their neighbours say: a unit given once for a list, the bound, the noun that is counted."""
    ordered = sorted(quantities, key=lambda quantity: quantity.start)
    for index in range(len(ordered) - 2, -1, -1):
        one, after = ordered[index], ordered[index + 1]
        if one.units == ("",) and after.units != ("",) and _LIST_JOINT.fullmatch(text, one.end, after.start):
            ordered[index] = replace(one, units=tuple(dict.fromkeys(["", *after.units])))
    known = find_bounds(text)
    # "65 and over - 15 EUR": what bounds one from behind bounds no other.
    edges = [0, *(trailing_bound_end(text, quantity.end) for quantity in ordered)]
    return tuple(
        replace(
            quantity,
            bound=_quantity_bound(text, quantity, known, edge),
            noun=_counted_noun(text, quantity),
        )
        for quantity, edge in zip(ordered, edges, strict=False)
    )


def _quantity_bound(text: str, quantity: Quantity, known: Sequence[Bound], edge: int) -> str:
    if quantity.is_range or quantity.bound:
        return quantity.bound
    if after := trailing_bound(text, quantity.end):
        return after
    if side := _TIME_SIDE.search(text[max(0, quantity.start - 12) : quantity.start]):
        return side[1].lower()
    before = [bound for bound in known if edge <= bound.start and bound.end <= quantity.start]
    if not before:
        return ""
    between = text[before[-1].end : quantity.start]
    is_far_reaching = text[before[-1].start : before[-1].end].lower().startswith(("min", "max"))
    reaches = len(between) <= (_FAR_REACH if is_far_reaching else _NEAR_REACH) and not _BOUND_BREAK.search(between)
    return before[-1].direction if reaches else ""


def _counted_noun(text: str, quantity: Quantity) -> str:
    found = _COUNTED_NOUN.match(text, quantity.end) if quantity.is_bare else None
    if not found or found[1] in _NOT_COUNTED:
        return ""
    return next(iter(terms(found[1])), "")
