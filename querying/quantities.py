"""Numbers in sentences, with the unit that stands by them, so that no answer states a figure its source lacks."""

from __future__ import annotations

import re
from collections import defaultdict
from decimal import Decimal

_NUMBER = re.compile(r"(?<![\w.])(\d{1,3}(?:,\d{3}){1,6}|\d{1,15})((?:\.\d{1,9}){0,6})\s?([A-Za-z°%µμ²³/]{0,12})")
# Only these count as units; any other word after a number is just the next word.
_UNITS = frozenset(
    [
        *("mm", "cm", "m", "km", "µm", "μm", "in", "ft", "yd", "mi", "mm²", "cm²", "m²", "m³"),
        *("g", "kg", "t", "lb", "oz", "mg", "µg", "l", "ml", "kl"),
        *("s", "ms", "min", "h", "hr", "hrs", "hour", "hours", "day", "days", "week", "weeks"),
        *("month", "months", "year", "years"),
        *("n", "kn", "mn", "pa", "kpa", "mpa", "gpa", "n/mm²", "kn/m", "kn/m²", "kg/m³"),
        *("w", "kw", "mw", "v", "kv", "a", "ma", "hz", "khz", "mhz", "°c", "°f", "k", "%", "percent"),
    ]
)
_SAME_UNIT = {
    "percent": "%",
    "hrs": "h",
    "hr": "h",
    "hour": "h",
    "hours": "h",
    "day": "days",
    "week": "weeks",
}
_SAME_UNIT |= {"month": "months", "year": "years", "μm": "µm"}


def numbers(text: str) -> dict[str, set[str]]:
    """Each number in the text with the units it occurs with ("" where none stands by it).

    Thousands separators go, and so do trailing zeros: 1,500 and 1500.0 are the same. `26.4.2` is one number.
    """
    found: defaultdict[str, set[str]] = defaultdict(set)
    for match in _NUMBER.finditer(text):
        whole, rest, word = match.groups()
        unit = word.lower()
        found[_canonical(whole.replace(",", "") + rest)].add(_SAME_UNIT.get(unit, unit) if unit in _UNITS else "")
    return dict(found)


def unsupported_numbers(claim: str, source: str) -> set[str]:
    """Numbers of the claim that the source lacks, or has only with another unit."""
    stated, known = numbers(claim), numbers(source)
    return {number for number, units in stated.items() if not _borne_out(units, known.get(number))}


def _borne_out(units: set[str], known: set[str] | None) -> bool:
    if known is None:
        return False
    # A table gives the unit once, in its header: a bare number in the source may have any unit.
    return all(unit in ("", *known) or "" in known for unit in units)


def _canonical(number: str) -> str:
    if number.count(".") > 1:  # a clause number
        return number
    return format(Decimal(number).normalize(), "f")
