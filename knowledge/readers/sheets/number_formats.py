"""Formats the numbers of a workbook as its cells show them: with their decimals, signs and units."""

from __future__ import annotations

import math
import re
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from typing import NamedTuple

# The digits that Excel keeps of a number.
_SIGNIFICANT_DIGITS = 15
_MAX_DECIMALS = 15
_MAX_FORMAT_LENGTH = 200
_EXACT = Context(prec=2 * _SIGNIFICANT_DIGITS + _MAX_DECIMALS)
_CURRENCY = re.compile(r"\[\$([^\]\-]{0,8})(?:-[^\]]{0,12})?\]")
_BRACKETS = re.compile(r"\[[^\]]{0,40}\]")
_CONDITION = re.compile(r"\[[<>=]")
_SECTION_PIECE = re.compile(r'"[^"]{0,200}"|\\.|.', re.DOTALL)
_TOKEN = re.compile(
    r'"([^"]{0,60})"|\\(.)|[_*].|([Gg][Ee][Nn][Ee][Rr][Aa][Ll]|[#0?][#0?,]*(?:\.[#0?]*,*)?)|(.)', re.DOTALL
)


class NumberFormat(NamedTuple):
    """What stands before and after a number, how many digits it has at least, how many decimals at least and at most
    (None: as many as it has), and whether thousands are set apart. Multiplied by a hundred where `is_percent`."""

    before: str
    after: str
    min_digits: int
    min_decimals: int
    max_decimals: int | None
    has_groups: bool
    is_percent: bool


def cell_text(value: object, number_format: str) -> str:
    """A value as people see it: dates as 2026-11-24, numbers with the decimals and the unit of their format."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int | float):
        return _number_text(value, number_format or "General")
    if isinstance(value, datetime):
        is_day = value.time() == time(0)
        return value.date().isoformat() if is_day else value.isoformat(sep=" ", timespec="minutes")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, time):
        return value.isoformat(timespec="seconds" if value.second else "minutes")
    return _duration_text(value) if isinstance(value, timedelta) else str(value)


def _duration_text(value: timedelta) -> str:
    minutes, seconds = divmod(abs(int(value.total_seconds())), 60)
    sign = "-" if value.total_seconds() <= -1 else ""
    return f"{sign}{minutes // 60}:{minutes % 60:02}" + (f":{seconds:02}" if seconds else "")


def _number_text(value: float, number_format: str) -> str:
    if (
        number_format == "General"
        or not abs(value) < 10**_SIGNIFICANT_DIGITS
        or len(number_format) > _MAX_FORMAT_LENGTH
    ):
        return plain_number(value)
    sections = split_sections(number_format)
    if len(sections) > 2 and not _section_of(value, sections):
        return ""
    look = parse_format(_section_of(value, sections))
    if look is None or _CONDITION.search(number_format):
        return plain_number(value)
    exact = Decimal(f"{value:.{_SIGNIFICANT_DIGITS}g}") * (100 if look.is_percent else 1)
    # A section for numbers below zero brings its own sign.
    sign = "-" if value < 0 and len(sections) == 1 else ""
    return f"{sign}{look.before}{_digits(abs(exact), look)}{look.after}".strip()


@lru_cache(maxsize=500)
def split_sections(number_format: str) -> list[str]:
    """The sections of a format: for numbers above zero, below, for zero itself and for text."""
    sections = [""]
    for piece in _SECTION_PIECE.findall(number_format):
        if piece == ";":
            sections.append("")
        else:
            sections[-1] += piece
    return sections


def _section_of(value: float, sections: list[str]) -> str:
    if value < 0 and len(sections) > 1:
        return sections[1]
    return sections[2] if value == 0 and len(sections) > 2 else sections[0]


def _digits(value: Decimal, look: NumberFormat) -> str:
    if look.max_decimals is None:
        return plain_number(float(value))
    rounded = value.quantize(Decimal(1).scaleb(-look.max_decimals), ROUND_HALF_UP, _EXACT)
    whole, _, decimals = (f"{rounded:,f}" if look.has_groups else f"{rounded:f}").partition(".")
    decimals = decimals[: look.min_decimals] + decimals[look.min_decimals :].rstrip("0")
    return whole.zfill(look.min_digits) + (f".{decimals}" if decimals else "")


def plain_number(value: float) -> str:
    """A number without a format: `45`, `0.3`, never `45.0` or `0.30000000000000004`."""
    if not math.isfinite(value):
        return "#NUM!"
    if isinstance(value, int) or (value == int(value) and abs(value) < 10**_SIGNIFICANT_DIGITS):
        return str(int(value))
    return f"{value:.{_SIGNIFICANT_DIGITS}g}"


@lru_cache(maxsize=500)
def parse_format(section: str) -> NumberFormat | None:
    """What a section of a number format asks for. None where it says nothing that we can keep: General, text,
    fractions, powers of ten, thousands or millions of what the cell holds."""
    section = _BRACKETS.sub("", _CURRENCY.sub(lambda match: f'"{match[1]}"', section))
    before, after, digits, is_percent = "", "", "", False
    for quoted, escaped, placeholder, other in _TOKEN.findall(section):
        if placeholder:
            if digits:
                return None
            digits = placeholder
            continue
        is_percent |= other == "%"
        if other in ("/", "E", "e", "@"):
            return None
        said = quoted or escaped or other
        before, after = (before, after + said) if digits else (before + said, after)
    # A comma behind the last digit divides by a thousand, which the cell beside it rarely says.
    whole, _, fraction = digits.partition(".")
    if not digits or whole.endswith(",") or fraction.endswith(","):
        return None
    return _look(before, after, whole, fraction, is_percent)


def _look(before: str, after: str, whole: str, fraction: str, is_percent: bool) -> NumberFormat:
    if whole.lower() == "general":
        return NumberFormat(before, after, 1, 0, None, False, is_percent)
    # Only zeros are always shown: "0.##" shows what there is.
    decimals = min(len(fraction), _MAX_DECIMALS)
    has_groups = "," in whole
    min_digits = 1 if has_groups else max(whole.count("0"), 1)
    return NumberFormat(before, after, min_digits, min(fraction.count("0"), decimals), decimals, has_groups, is_percent)
