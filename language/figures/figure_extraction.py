"""Figures of a claim against those of its source, so that no answer states a figure that its source lacks."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from language.bound_words import AT_LEAST, AT_MOST, LESS_THAN, MORE_THAN
from language.cache_sizes import CACHED_SENTENCES
from language.figures.bounds import blank_spans, find_bounds, trailing_bound_end
from language.figures.dates_and_identifiers import (
    FoundFigures,
    read_alphanumeric,
    read_dates,
    read_labelled_codes,
    read_numberings,
    read_roman_numbered,
    read_standards,
)
from language.figures.figure_types import TOLERANCE, Identifier, Quantity, StatedDate, TextFigures, decimal_text
from language.figures.quantities import add_context, header_units, read_number_words, read_quantities
from language.lazy_pattern import lazy_pattern
from language.number_notation import PointedText, decimal_sign, with_decimal_points
from language.number_words import NUMBER_WORD_PATTERN, parse_number_words
from language.units import is_same_amount
from language.wrapped_lines import join_wrapped_figures

# A longer text is no sentence and no passage; its figures are not read.
MAX_FIGURES_TEXT = 20_000
# No sentence states more; one that does is supported by nothing.
MAX_CLAIM_FIGURES = 60

_SUPERSCRIPT = re.compile(r"(?<=\d)[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]{1,4}")
_VULGAR_FRACTION = re.compile(r"[¼½¾⅐-⅞]")
_MULTIPLICATION_SIGN = re.compile(r"(?<=\d) ?[x×✕] ?(?=\d)")
_CLOCK_SUFFIX = re.compile(r"(?<=\d) ?([ap])\.?m\b\.?", re.IGNORECASE)
_SPACE_RUN = re.compile(r"[^\S\n\u00a0\u2009\u202f]+")
_UNIFIED_SIGNS = str.maketrans({"⁄": "/", "−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-", "‒": "-", "µ": "μ"})
# "Thirty (30) days", as contracts write it, is one figure.
_REPEATED_IN_DIGITS = lazy_pattern(
    rf"\b(?P<words>{NUMBER_WORD_PATTERN}(?:(?:-| and | ){NUMBER_WORD_PATTERN}){{0,6}}) ?\((?P<digits>\d{{1,12}})\)",
    re.IGNORECASE,
)
# "7+ years"
_TRAILING_PLUS = re.compile(r"(?<![\w.,+])(\d{1,9})\+(?= ?[a-zA-Z])")
# A lone "one" is read as no figure, but it supports a 1.
_LONE_ONE = re.compile(r"\bone\b", re.IGNORECASE)
_LIST_MARK = re.compile(r"\s{0,20}(?:\(?\d{1,2}[.)]|[-*•])\s+(?=\S)")


def normalize_notation(text: str) -> str:
    """The text in one spelling: compatible characters unified, `½` as 1/2, `10⁶` as 10^6, every dash a hyphen, no
    line break inside of a figure."""
    if not text.isascii():
        text = _SUPERSCRIPT.sub(lambda power: f"^{power.group()}", text)
        text = _VULGAR_FRACTION.sub(lambda part: f" {part.group()}", text)
        # Other spaces stay, for they group digits.
        pieces = re.split("([\u00a0\u2009\u202f])", text)
        pieces[::2] = (unicodedata.normalize("NFKC", piece).translate(_UNIFIED_SIGNS) for piece in pieces[::2])
        text = "".join(pieces)
    text = join_wrapped_figures(_SPACE_RUN.sub(" ", text))
    text = _CLOCK_SUFFIX.sub(r"\1m", _MULTIPLICATION_SIGN.sub(" x ", text))
    text = _TRAILING_PLUS.sub(r"at least \1", text)
    return _REPEATED_IN_DIGITS.sub(_number_in_digits, text)


def _number_in_digits(match: re.Match[str]) -> str:
    return match["digits"] if parse_number_words(match["words"]) == int(match["digits"]) else match.group()


def strip_list_mark(text: str) -> str:
    """A model that writes "2. Beams …" numbers its sentences; it states no figure."""
    return _LIST_MARK.sub("", text, count=1) if _LIST_MARK.match(text) else text


@lru_cache(maxsize=CACHED_SENTENCES)
def extract_figures(text: str, decimal_sign_elsewhere: str = "") -> TextFigures:
    """Every figure of the text. Only the first `MAX_FIGURES_TEXT` characters are read.

    Where the language of the text is not told, numbers are read by the `decimal_sign` of another text that is given.
    """
    text = normalize_notation(text[:MAX_FIGURES_TEXT])
    words, dates = _read_and_blank(text, read_dates)
    names: list[Identifier] = []
    for read in (read_labelled_codes, read_roman_numbered, read_standards, read_numberings, read_alphanumeric):
        words, found = _read_and_blank(words, read)
        names += [name for name in found if isinstance(name, Identifier)]
    pointed = with_decimal_points(words, sign_of_text=lambda: decimal_sign(text) or decimal_sign_elsewhere)
    quantities = read_quantities(pointed.text)
    if pointed.text != words or pointed.unclear:
        quantities = [_as_written(one, words, pointed) for one in quantities]
    words = blank_spans(words, ((quantity.start, quantity.end) for quantity in quantities))
    quantities += read_number_words(words)
    cues = ((bound.start, bound.end) for bound in find_bounds(text))
    taken = ((quantity.start, trailing_bound_end(text, quantity.end)) for quantity in quantities)
    words = blank_spans(words, (*taken, *cues))
    return TextFigures(
        text=text,
        words=words,
        quantities=add_context(text, quantities),
        names=tuple(names),
        dates=tuple(date for date in dates if isinstance(date, StatedDate)),
        units=header_units(words),
        is_of_unknown_language=pointed.is_of_unknown_language,
    )


def _as_written(quantity: Quantity, text: str, pointed: PointedText) -> Quantity:
    start, end = quantity.start, quantity.end
    return replace(quantity, written=text[start:end], spelling=pointed.spelling(start, end))


def _read_and_blank(text: str, read: Callable[[str], FoundFigures]) -> tuple[str, list[Identifier | StatedDate]]:
    found = list(read(text))
    return blank_spans(text, ((one.start, one.end) for one in found)), found


def unsupported_figures(claim: str, source: str, *, context: str = "") -> set[str]:
    """Figures of the claim, as written, that the source does not state in the same unit and under the same bound.

    The context (the passage around the source) may lend a unit that a table gives once in its header, nothing else.
    """
    stated, known = _figures_of_both(strip_list_mark(claim), source, context=context)
    if not (stated.quantities or stated.names or stated.dates):
        return set()
    written = [figure.written for group in (stated.quantities, stated.names, stated.dates) for figure in group]
    if len(written) > MAX_CLAIM_FIGURES:
        return set(written)
    headers = known.units or (extract_figures(context).units if context else frozenset())
    lacking = {q.written for q in stated.quantities if not _supports_quantity(known, q, stated=stated, headers=headers)}
    lacking |= {name.written for name in stated.names if not _supports_identifier(known, name)}
    return lacking | {date.written for date in stated.dates if not _supports_date(known, date)}


def _figures_of_both(claim: str, source: str, *, context: str) -> tuple[TextFigures, TextFigures]:
    """Where the language of one is not told, the other is taken to be in the same."""
    stated, known = extract_figures(claim), extract_figures(source)
    if known.is_of_unknown_language and (sign := decimal_sign(context) or decimal_sign(claim)):
        known = extract_figures(source, sign)
    if stated.is_of_unknown_language and (sign := decimal_sign(source) or decimal_sign(context)):
        stated = extract_figures(claim, sign)
    return stated, known


def numbers_with_units(text: str) -> dict[str, set[str]]:
    """Each number written in digits, plainly, with the units it occurs with ("" where none stands by it).

    Words of letters and digits (M30) are left out: they name a thing.
    """
    found: defaultdict[str, set[str]] = defaultdict(set)
    read = extract_figures(text)
    for quantity in read.quantities:
        if any(character.isdigit() for character in quantity.written):
            for value in dict.fromkeys([quantity.low, quantity.high]):
                found[decimal_text(value)] |= set(quantity.units)
    for name in read.names:
        if name.code[0].isdigit():
            found[name.code].add("")
    for date in read.dates:
        for part in filter(None, (date.year, date.day)):
            found[str(part)].add("")
    return dict(found)


def stated_numbers(text: str) -> set[str]:
    """Each number of the text, plainly, whether digits or words write it: "ten days" states 10."""
    read = extract_figures(text)
    in_words = {decimal_text(value) for one in read.quantities for value in (one.low, one.high)}
    lone_one = {"1"} if _LONE_ONE.search(read.words) else set[str]()
    return in_words | lone_one | set(numbers_with_units(text))


def _supports_quantity(known: TextFigures, wanted: Quantity, *, stated: TextFigures, headers: frozenset[str]) -> bool:
    if any(_quantity_supports(one, wanted, known=known, stated=stated, headers=headers) for one in known.quantities):
        return True
    if wanted.spelling:
        return False
    if wanted.is_range:
        return _supports_range_ends(known, wanted)
    if wanted.is_bare and wanted.low == 1 and not wanted.bound and _LONE_ONE.search(known.words):
        return True
    return wanted.is_bare and not wanted.noun and any(date.year == wanted.low for date in known.dates)


def _quantity_supports(
    one: Quantity, wanted: Quantity, *, known: TextFigures, stated: TextFigures, headers: frozenset[str]
) -> bool:
    """Whether `one` of the source supports what is `wanted` by the claim."""
    return (
        one.spelling == wanted.spelling
        and _units_agree(one, wanted, known=known, stated=stated, headers=headers)
        and _nouns_agree(one, wanted, known)
        and _bounds_agree(one, wanted)
    )


def _units_agree(
    one: Quantity, wanted: Quantity, *, known: TextFigures, stated: TextFigures, headers: frozenset[str]
) -> bool:
    """The same value in the same unit, converted where need be; a table's header may name the unit for its cells."""
    pairs = [(mine, theirs) for mine in wanted.units for theirs in one.units]
    if any(_equal_in_units(wanted, mine, one, theirs) for mine, theirs in pairs if mine and theirs):
        return True
    if any(not mine and not theirs for mine, theirs in pairs):
        return _equal_in_units(wanted, "", one, "")
    if one.is_bare and not one.noun:
        headers = header_units(known.words[slice(*table_cell(known.words, one.start, one.end))]) or headers
        return any(_equal_in_units(wanted, mine, one, header) for mine in wanted.units for header in headers)
    if wanted.is_bare and not wanted.noun:
        return any(_equal_in_units(wanted, header, one, theirs) for header in stated.units for theirs in one.units)
    return False


def table_cell(text: str, start: int, end: int, *, breaks: str = "|") -> tuple[int, int]:
    """Where the cell of a table's row that holds `text[start:end]` begins and ends; `breaks` are what ends a cell."""
    ends = (text.find(mark, end) for mark in breaks)
    begin = max(text.rfind(mark, 0, start) for mark in breaks) + 1
    return begin, min((place for place in ends if place >= 0), default=len(text))


def _equal_in_units(one: Quantity, unit: str, other: Quantity, other_unit: str) -> bool:
    if one.is_range == other.is_range:
        ends = [(one.low, other.low), (one.high, other.high)]
    elif other.is_range and one.bound in (AT_LEAST, AT_MOST):  # "up to 30 mm" of "20–30 mm"
        ends = [(one.low, other.low if one.bound == AT_LEAST else other.high)]
    else:
        return False
    return all(is_same_amount(mine, unit, theirs, other_unit) for mine, theirs in ends)


def _nouns_agree(one: Quantity, wanted: Quantity, known: TextFigures) -> bool:
    """Forty columns are not forty beams, where the source counts beams too."""
    if not one.noun or not wanted.noun or one.noun == wanted.noun:
        return True
    return all(other.noun != wanted.noun for other in known.quantities)


def _bounds_agree(one: Quantity, wanted: Quantity) -> bool:
    """Both bounds must be the same; "more than 5" and a plain 5 exclude each other, and so do 5 and ± 5."""
    if one.is_range or wanted.is_range or one.bound == wanted.bound:
        return True
    strict = {one.bound, wanted.bound} & {MORE_THAN, LESS_THAN, TOLERANCE}
    return not strict and "" in (one.bound, wanted.bound)


def _supports_range_ends(known: TextFigures, wanted: Quantity) -> bool:
    """ "20 to 30 mm" where the source says at least 20 mm and at most 30 mm."""

    def has(value: Fraction, bound: str) -> bool:
        return any(
            one.bound == bound and not one.spelling and is_same_amount(value, mine, one.low, theirs)
            for one in known.quantities
            for mine in wanted.units
            for theirs in one.units
        )

    return has(wanted.low, AT_LEAST) and has(wanted.high, AT_MOST)


def _supports_identifier(known: TextFigures, wanted: Identifier) -> bool:
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
    return first is not None and is_heading and not first.noun and decimal_text(first.low) == wanted.code


def _supports_date(known: TextFigures, wanted: StatedDate) -> bool:
    """The source may be more precise than the claim, never less."""
    return any(
        date.month == wanted.month
        and wanted.year in (0, date.year)
        and wanted.day in (0, date.day)
        and (date.side == wanted.side or "" in (date.side, wanted.side))
        for date in known.dates
    )
