"""The names of months and days of the week."""

from __future__ import annotations

MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
# A month in full or in three letters ("Sept" too), in small letters: for a pattern that ignores case. ASCII alone
# ("a"), as "ſ" would be read as an "s", and `month_number` would know no month of that name.
MONTH_PATTERN = rf"(?a:{'|'.join([*MONTHS, 'sept', *(month[:3] for month in MONTHS)])})"


def month_number(name: str) -> int:
    """1 for "January", "Jan" and "jan". Raises StopIteration where this is no month."""
    return next(number for number, month in enumerate(MONTHS, 1) if month[:3] == name[:3].lower())
