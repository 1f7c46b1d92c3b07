"""How texts write their numbers: a point or a comma before the fraction, and the other one between the thousands.

The language of a text decides where "1.500" and "1,500" have two readings.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache

from language.cache_sizes import CACHED_SENTENCES
from language.language_identification import language_of
from language.lazy_pattern import lazy_pattern
from language.units import CURRENCY_PATTERN, UNIT_PATTERN, parse_unit

_DECIMAL_COMMA_CODES = "bg ca cs da de el es et eu fi fr hu hy id it lt nl no pl pt ro ru sr sv tr uk vi"
_DECIMAL_COMMA_LANGUAGES = frozenset(_DECIMAL_COMMA_CODES.split())
# A thousand in English; in a language with decimal commas perhaps one and a fraction.
COMMAS_BETWEEN_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?")
DECIMAL_COMMA = re.compile(r"[-+]?(?:\d{1,3}(?:\.\d{3})+|\d+),\d+")
# The other way round.
POINT_AND_THREE_DIGITS = re.compile(r"[-+]?[1-9]\d{0,2}\.\d{3}")
# "the" is a word of English alone, and spares asking for the language of most English texts.
_ENGLISH_WORD = re.compile(r"\bthe\b", re.IGNORECASE)

# Digits with signs between them.
_NUMERAL = re.compile(r"(?<![\w.,/])\d{1,30}(?:[.,]\d{1,30}){1,10}(?![.,]?\d)")
_COMMA_AND_THREE_DIGITS = re.compile(r"[1-9]\d{0,2},\d{3}")
_POINTS_BETWEEN_THOUSANDS = re.compile(r"\d{1,3}(?:(?:\.\d{3})+,\d+|(?:\.\d{3}){2,})")
_COMMAS_IN_GROUPS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,2}(?:,\d{2}){1,4},\d{3}(?:\.\d+)?")
_FRACTION_OF_ONE = re.compile(r"0,\d+")
_ONE_COMMA = re.compile(r"\d+,\d+")
_SWAPPED = str.maketrans(".,", ",.")
_UNIT_BEHIND = lazy_pattern(rf"[ \u00a0-]?({UNIT_PATTERN})")
_CURRENCY_BEFORE = lazy_pattern(rf"{CURRENCY_PATTERN}$")
_CURRENCY_REACH = 6
_LIST_BEHIND = re.compile(r"(?:, ?|,? (?:and|or|&) )\d")


def language_has_decimal_comma(text: str) -> bool:
    """Whether the text is in a language that writes 12,5 for twelve and a half."""
    return language_of(text) in _DECIMAL_COMMA_LANGUAGES


@lru_cache(maxsize=CACHED_SENTENCES)
def decimal_sign(text: str) -> str:
    """The sign before a fraction in the language of the text; "" where that cannot be told."""
    language = language_of(text)
    if language in _DECIMAL_COMMA_LANGUAGES:
        return ","
    return "." if language else ""


@dataclass(frozen=True)
class PointedText:
    """The text, as long as it was, with a point before each fraction and commas between thousands.

    `unclear` are the numbers that may be others: where each begins, and how it is written.
    `is_of_unknown_language`: it was needed and could not be told.
    """

    text: str
    unclear: tuple[tuple[int, str], ...] = ()
    is_of_unknown_language: bool = False

    def spelling(self, start: int, end: int) -> str:
        """How the unclear numbers between these places are written; "" where there are none."""
        return " ".join(written for at, written in self.unclear if start <= at < end)


def with_decimal_points(text: str, *, sign_of_text: Callable[[], str]) -> PointedText:
    """The text as English would write its numbers. `sign_of_text` gives the text's `decimal_sign` where it matters."""
    pieces, at, unclear = [], 0, []
    sign = cache(sign_of_text)
    for match in _NUMERAL.finditer(text):
        numeral = _Numeral(text, match.start(), match.end(), sign)
        pointed = numeral.with_decimal_point()
        pieces += [text[at : match.start()], pointed]
        at = match.end()
        if numeral.is_unclear:
            unclear.append((match.start(), match.group()))
    if not pieces:
        return PointedText(text)
    is_unknown = sign.cache_info().currsize > 0 and not sign()
    return PointedText("".join([*pieces, text[at:]]), tuple(unclear), is_unknown)


class _Numeral:
    """`text[start:end]`, which has signs between its digits. `sign` gives the decimal sign of the text."""

    def __init__(self, text: str, start: int, end: int, sign: Callable[[], str]) -> None:
        self._text, self._start, self._end, self._sign = text, start, end, sign
        self.is_unclear = False

    def with_decimal_point(self) -> str:
        """The same number, or list of numbers, as English writes it; sets `is_unclear`."""
        written = self._text[self._start : self._end]
        if _POINTS_BETWEEN_THOUSANDS.fullmatch(written):
            return written.translate(_SWAPPED)
        if POINT_AND_THREE_DIGITS.fullmatch(written):
            self.is_unclear = not self._sign()
            return written.translate(_SWAPPED) if self._sign() == "," else written
        if _COMMA_AND_THREE_DIGITS.fullmatch(written):
            self.is_unclear = not _ENGLISH_WORD.search(self._text) and self._sign() == ","
            return written.translate(_SWAPPED) if self.is_unclear else written
        if "," not in written or (_COMMAS_IN_GROUPS.fullmatch(written) and not written.startswith("0")):
            return written
        return self._with_fraction(written) if _ONE_COMMA.fullmatch(written) else written.replace(",", ";")

    def _with_fraction(self, written: str) -> str:
        """ "12,5" is a number, unless the text is one in which it lists two."""
        if not (_FRACTION_OF_ONE.fullmatch(written) or self._stands_by_unit() or self._sign() == ","):
            if self._sign() or _LIST_BEHIND.match(self._text, self._end):
                return written.replace(",", ";")
            self.is_unclear = True
        return written.replace(",", ".")

    def _stands_by_unit(self) -> bool:
        behind = _UNIT_BEHIND.match(self._text, self._end)
        if behind and parse_unit(behind[1]):
            return True
        return bool(_CURRENCY_BEFORE.search(self._text[max(0, self._start - _CURRENCY_REACH) : self._start]))
