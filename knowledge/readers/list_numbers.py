"""The numbers of lists as letters and as Roman numerals."""

from __future__ import annotations

from collections.abc import Callable, Mapping

_ROMAN_DIGITS = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl")),
    *((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
_MAX_ROMAN = 3999


def roman_number(number: int) -> str:
    """In small letters; in digits where Romans had none."""
    if not 0 < number <= _MAX_ROMAN:
        return str(number)
    written = ""
    for value, digits in _ROMAN_DIGITS:
        while number >= value:
            written, number = written + digits, number - value
    return written


def letter_number(number: int) -> str:
    """Behind "z" come "aa", "ab" and so on; in digits what is less than one."""
    if number < 1:
        return str(number)
    written = ""
    while number:
        number, place = divmod(number - 1, 26)
        written = chr(ord("a") + place) + written
    return written


# By the name that HTML and OpenDocument have for them.
NUMBERS_OF_KINDS: Mapping[str, Callable[[int], str]] = {
    "1": str,
    "a": letter_number,
    "A": lambda number: letter_number(number).upper(),
    "i": roman_number,
    "I": lambda number: roman_number(number).upper(),
}
