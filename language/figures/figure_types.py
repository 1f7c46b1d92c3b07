"""The figures that a text states: quantities, dates, and numbers that only name something (Table 16, M30)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

# As they are tidied: "10:30", "4pm".
_CLOCK_TIME = re.compile(r"(?P<hour>\d{1,2})(?::(?P<minute>\d{2})(?P<half>[ap]m)?|(?P<only_half>[ap]m))")
_HALF_DAY = 12 * 60

# The `bound` of a quantity such as "± 5 mm".
TOLERANCE = "±"


def decimal_text(value: Fraction) -> str:
    """The number in digits, without an exponent where it is whole."""
    return str(value.numerator) if value.denominator == 1 else f"{float(value):.12g}"


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """`low` to `high` (the same where it is no range) at `start:end` of the tidied text.

    `units` has every unit it may be read in, and "" where none stands by it; `noun` is the word that a bare number
    counts ("three beams"), stemmed; `bound` is a direction as in `language.figures.bounds`, or "". `spelling` is how
    the number is written where it may be another one too ("1.500" in a text of a few words), else "".
    """

    written: str
    start: int
    end: int
    low: Fraction
    high: Fraction
    units: tuple[str, ...] = ("",)
    bound: str = ""
    noun: str = ""
    spelling: str = ""

    @property
    def is_range(self) -> bool:
        return self.low != self.high

    @property
    def is_bare(self) -> bool:
        return "" in self.units

    @property
    def number(self) -> str:
        """The lower end in digits."""
        return decimal_text(self.low)


@dataclass(frozen=True, kw_only=True)
class ClockTime:
    """Minutes of the day; `is_of_half_day` where "am" or "pm" stands by it."""

    minutes: int
    is_of_half_day: bool

    def may_be(self, other: ClockTime) -> bool:
        """Whether both may be the same: "8:00" is "8 am", or "8 pm"."""
        is_unsure = self.is_of_half_day != other.is_of_half_day and min(self.minutes, other.minutes) < _HALF_DAY
        return self.minutes == other.minutes or (is_unsure and (self.minutes - other.minutes) % _HALF_DAY == 0)


@dataclass(frozen=True, kw_only=True)
class Identifier:
    """A number that names: "Table 16" has the label "table" and the code "16", "M30" the code "m30" alone."""

    written: str
    start: int
    end: int
    label: str
    code: str

    @property
    def clock_time(self) -> ClockTime | None:
        """The time of day that it is, as far as its form tells."""
        match = None if self.label else _CLOCK_TIME.fullmatch(self.code)
        if match is None:
            return None
        half = match["half"] or match["only_half"]
        minutes = 60 * int(match["hour"]) + int(match["minute"] or 0)
        minutes = minutes % _HALF_DAY + _HALF_DAY * (half == "pm") if half else minutes
        return ClockTime(minutes=minutes, is_of_half_day=bool(half))


@dataclass(frozen=True, kw_only=True)
class StatedDate:
    """What is given of a date; 0 where it is not. `side` is "before" or "after" where the text bounds it so."""

    written: str
    start: int
    end: int
    year: int
    month: int
    day: int
    side: str


@dataclass(frozen=True, kw_only=True)
class TextFigures:
    """`text` is tidied; `words` is the same with every figure blanked out; `units` are those of table headers.

    `is_of_unknown_language`: some number is another one in another language, and the text's could not be told.
    """

    text: str
    words: str
    quantities: tuple[Quantity, ...]
    names: tuple[Identifier, ...]
    dates: tuple[StatedDate, ...]
    units: frozenset[str]
    is_of_unknown_language: bool = False
