"""Figures of a claim against those of its source, so that no answer states a figure that its source lacks."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache

from querying.verify.bounds import LEAST, LESS, MORE, MOST, bounds, end_of_bound
from querying.verify.figures import TOLERANCE, Date, Figures, Name, Quantity
from querying.verify.measures import header_units, in_context, read_number_words, read_quantities
from querying.verify.names import (
    Found,
    read_dates,
    read_labelled,
    read_mixed,
    read_numbered,
    read_numberings,
    read_standards,
)
from querying.verify.number_words import NUMBER_WORDS, value_of
from querying.verify.units import is_same

# A longer text is no sentence and no passage; its figures are not read.
LONGEST_TEXT = 20_000

_SUPERSCRIPT = re.compile(r"(?<=\d)[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]{1,4}")
_VULGAR = re.compile(r"[¼½¾⅐-⅞]")
_TIMES = re.compile(r"(?<=\d) ?[x×✕] ?(?=\d)")
_CLOCK = re.compile(r"(?<=\d) ?([ap])\.?m\b\.?", re.IGNORECASE)
_SPACE = re.compile(r"[^\S\n\u00a0\u2009\u202f]+")
_TIDY = str.maketrans({"⁄": "/", "−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-", "‒": "-", "µ": "μ"})
# "Thirty (30) days", as contracts write it, is one figure.
_DOUBLED = re.compile(
    rf"\b(?P<words>{NUMBER_WORDS}(?:(?:-| and | ){NUMBER_WORDS}){{0,6}}) ?\((?P<digits>\d{{1,12}})\)", re.IGNORECASE
)
_ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
_ANNIVERSARY = re.compile(rf"\b(?P<nth>{'|'.join(_ORDINALS)})\s+anniversary\s+of\b", re.IGNORECASE)
# "7+ years"
_PLUS = re.compile(r"(?<![\w.,+])(\d{1,9})\+(?= ?[a-zA-Z])")
# A lone "one" is read as no figure, but it bears out a 1.
_ONE = re.compile(r"\bone\b", re.IGNORECASE)
_LIST_MARK = re.compile(r"\s{0,20}(?:\(?\d{1,2}[.)]|[-*•])\s+(?=\S)")


def tidy(text: str) -> str:
    """The text in one spelling: compatible characters unified, `½` as 1/2, `10⁶` as 10^6, every dash a hyphen."""
    if not text.isascii():
        text = _SUPERSCRIPT.sub(lambda power: f"^{power.group()}", text)
        text = _VULGAR.sub(lambda part: f" {part.group()}", text)
        spaces = {character: f"\ue000{index}" for index, character in enumerate("\u00a0\u2009\u202f")}
        for character, kept in spaces.items():
            text = text.replace(character, kept)
        text = unicodedata.normalize("NFKC", text).translate(_TIDY)
        for character, kept in spaces.items():
            text = text.replace(kept, character)
    text = _CLOCK.sub(r"\1m", _TIMES.sub(" x ", _SPACE.sub(" ", text)))
    text = _PLUS.sub(r"at least \1", text)
    return _ANNIVERSARY.sub(_years_after, _DOUBLED.sub(_once, text))


def _years_after(match: re.Match[str]) -> str:
    return f"{_ORDINALS.index(match['nth'].lower()) + 1} years after"


def _once(match: re.Match[str]) -> str:
    return match["digits"] if value_of(match["words"]) == int(match["digits"]) else match.group()


def without_list_mark(text: str) -> str:
    """A model that writes "2. Beams …" numbers its sentences; it states no figure."""
    return _LIST_MARK.sub("", text, count=1) if _LIST_MARK.match(text) else text


@lru_cache(maxsize=4096)
def figures(text: str) -> Figures:
    """Every figure of the text. Of a text longer than `LONGEST_TEXT` only its beginning is read."""
    text = tidy(text[:LONGEST_TEXT])
    words, dates = _taken(text, read_dates)
    names: list[Name] = []
    for read in (read_labelled, read_numbered, read_standards, read_numberings, read_mixed):
        words, found = _taken(words, read)
        names += [name for name in found if isinstance(name, Name)]
    quantities = read_quantities(words)
    words = _blanked(words, ((quantity.start, quantity.end) for quantity in quantities))
    quantities += read_number_words(words)
    cues = ((bound.start, bound.end) for bound in bounds(text))
    taken = ((quantity.start, end_of_bound(text, quantity.end)) for quantity in quantities)
    words = _blanked(words, (*taken, *cues))
    return Figures(
        text=text,
        words=words,
        quantities=in_context(text, quantities),
        names=tuple(names),
        dates=tuple(date for date in dates if isinstance(date, Date)),
        units=header_units(words),
    )


def _taken(text: str, read: Callable[[str], Found]) -> tuple[str, list[Name | Date]]:
    found = list(read(text))
    return _blanked(text, ((one.start, one.end) for one in found)), found


def _blanked(text: str, places: Iterable[tuple[int, int]]) -> str:
    pieces, at = [], 0
    for start, end in sorted(set(places)):
        if start >= at:
            pieces += [text[at:start], " " * (end - start)]
            at = end
    return "".join([*pieces, text[at:]])


def unsupported_numbers(claim: str, source: str, *, context: str = "") -> set[str]:
    """Figures of the claim, as written, that the source does not state in the same unit and under the same bound.

    The context (the passage around the source) may lend a unit that a table gives once in its header, nothing else.
    """
    stated, known = figures(without_list_mark(claim)), figures(source)
    if not (stated.quantities or stated.names or stated.dates):
        return set()
    headers = known.units or (figures(context).units if context else frozenset())
    lacking = {q.written for q in stated.quantities if not _has_quantity(known, q, stated=stated, headers=headers)}
    lacking |= {name.written for name in stated.names if not _has_name(known, name)}
    return lacking | {date.written for date in stated.dates if not _has_date(known, date)}


def numbers(text: str) -> dict[str, set[str]]:
    """Each number written in digits, plainly, with the units it occurs with ("" where none stands by it).

    Words of letters and digits (M30) are left out: they name a thing.
    """
    found: defaultdict[str, set[str]] = defaultdict(set)
    read = figures(text)
    for quantity in read.quantities:
        if any(character.isdigit() for character in quantity.written):
            for value in dict.fromkeys([quantity.low, quantity.high]):
                found[_plain(value)] |= set(quantity.units)
    for name in read.names:
        if name.code[0].isdigit():
            found[name.code].add("")
    for date in read.dates:
        for part in filter(None, (date.year, date.day)):
            found[str(part)].add("")
    return dict(found)


def _plain(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else f"{float(value):.12g}"


def _has_quantity(known: Figures, wanted: Quantity, *, stated: Figures, headers: frozenset[str]) -> bool:
    if any(_states(one, wanted, known=known, stated=stated, headers=headers) for one in known.quantities):
        return True
    if wanted.is_range:
        return _has_both_ends(known, wanted)
    if wanted.is_bare and wanted.low == 1 and not wanted.bound and _ONE.search(known.words):
        return True
    return wanted.is_bare and not wanted.noun and any(date.year == wanted.low for date in known.dates)


def _states(one: Quantity, wanted: Quantity, *, known: Figures, stated: Figures, headers: frozenset[str]) -> bool:
    """Whether `one` of the source bears out what is `wanted` by the claim."""
    return (
        _agree_in_unit(one, wanted, known=known, stated=stated, headers=headers)
        and _agree_in_noun(one, wanted, known)
        and _agree_in_bound(one, wanted)
    )


def _agree_in_unit(
    one: Quantity, wanted: Quantity, *, known: Figures, stated: Figures, headers: frozenset[str]
) -> bool:
    """The same value in the same unit, converted where need be; a table's header may name the unit for its cells."""
    pairs = [(mine, theirs) for mine in wanted.units for theirs in one.units]
    if any(_same(wanted, mine, one, theirs) for mine, theirs in pairs if mine and theirs):
        return True
    if any(not mine and not theirs for mine, theirs in pairs):
        return _same(wanted, "", one, "")
    if one.is_bare and not one.noun:
        headers = header_units(_cell(known.words, one)) or headers
        return any(_same(wanted, mine, one, header) for mine in wanted.units for header in headers)
    if wanted.is_bare and not wanted.noun:
        return any(_same(wanted, header, one, theirs) for header in stated.units for theirs in one.units)
    return False


def _cell(text: str, quantity: Quantity) -> str:
    """The cell of a table's row that the quantity stands in."""
    start = text.rfind("|", 0, quantity.start) + 1
    end = text.find("|", quantity.end)
    return text[start : end if end >= 0 else len(text)]


def _same(one: Quantity, unit: str, other: Quantity, other_unit: str) -> bool:
    if one.is_range == other.is_range:
        ends = [(one.low, other.low), (one.high, other.high)]
    elif other.is_range and one.bound in (LEAST, MOST):  # "up to 30 mm" of "20–30 mm"
        ends = [(one.low, other.low if one.bound == LEAST else other.high)]
    else:
        return False
    return all(is_same(mine, unit, theirs, other_unit) for mine, theirs in ends)


def _agree_in_noun(one: Quantity, wanted: Quantity, known: Figures) -> bool:
    """Forty columns are not forty beams, where the source counts beams too."""
    if not one.noun or not wanted.noun or one.noun == wanted.noun:
        return True
    return all(other.noun != wanted.noun for other in known.quantities)


def _agree_in_bound(one: Quantity, wanted: Quantity) -> bool:
    """Both bounds must be the same; "more than 5" and a plain 5 exclude each other, and so do 5 and ± 5."""
    if one.is_range or wanted.is_range or one.bound == wanted.bound:
        return True
    strict = {one.bound, wanted.bound} & {MORE, LESS, TOLERANCE}
    return not strict and "" in (one.bound, wanted.bound)


def _has_both_ends(known: Figures, wanted: Quantity) -> bool:
    """ "20 to 30 mm" where the source says at least 20 mm and at most 30 mm."""

    def has(value: Fraction, bound: str) -> bool:
        return any(
            one.bound == bound and is_same(value, mine, one.low, theirs)
            for one in known.quantities
            for mine in wanted.units
            for theirs in one.units
        )

    return has(wanted.low, LEAST) and has(wanted.high, MOST)


def _has_name(known: Figures, wanted: Name) -> bool:
    """A label may be missing on one side: "clause 26.4.2" is the one headed 26.4.2."""
    for name in known.names:
        is_specific = "." in name.code or not name.code.isdigit()
        is_labelled = name.label == wanted.label or (is_specific and "" in (name.label, wanted.label))
        # "IS 456" is "IS 456:2000".
        if is_labelled and wanted.code in (name.code, name.code.partition(":")[0] if is_specific else ""):
            return True
    # A heading: "16 Cover"
    first = next(iter(known.quantities), None)
    is_heading = first is not None and first.is_bare and not known.text[: first.start].strip(" #*|§")
    return first is not None and is_heading and not first.noun and _plain(first.low) == wanted.code


def _has_date(known: Figures, wanted: Date) -> bool:
    """The source may be more precise than the claim, never less."""
    return any(
        date.month == wanted.month
        and wanted.year in (0, date.year)
        and wanted.day in (0, date.day)
        and (date.side == wanted.side or "" in (date.side, wanted.side))
        for date in known.dates
    )
