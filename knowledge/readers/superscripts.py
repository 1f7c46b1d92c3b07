"""Raised digits: an exponent is written as one, 10⁶ and m², and the mark of a note is left out."""

from __future__ import annotations

import re
from collections.abc import Sequence

# As much of the text before raised digits as decides what they are.
REACH = 24
_RAISED = str.maketrans("0123456789-−–", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻⁻")
_EXPONENT = re.compile(r"[-−–]\d{0,3}|\d{1,3}")
_NOTE_NUMBERS = re.compile(r"\d{1,3}(?:(?:, ?| ?[-–] ?)\d{1,3}){0,5}")
_LAST_WORD = re.compile(r"[^\W\d_]+$")
_LENGTHS = frozenset({"nm", "µm", "μm", "mm", "cm", "dm", "km", "in", "ft", "yd", "mi"})
_SIGNS_OF_NOTES = frozenset(".,;:!?”’\"'")


def raised_text(text: str, before: str, *, is_link: bool = False) -> str:
    """How raised text is written behind `before`; a link's leads to a note. What is neither an exponent nor the number
    of a note stays as it is."""
    if not before or before[-1].isspace() or not (_NOTE_NUMBERS.fullmatch(text) or _EXPONENT.fullmatch(text)):
        return text
    if not is_link and _EXPONENT.fullmatch(text) and _may_have_exponent(before, text):
        return text.translate(_RAISED)
    return text if text[0] in "-−–" else ""


def _may_have_exponent(before: str, exponent: str) -> bool:
    """Behind a number, a sign of a formula, a letter that stands alone, or a unit of length."""
    word = _LAST_WORD.search(before)
    if word is None:
        return before[-1] not in _SIGNS_OF_NOTES
    return len(word[0]) == 1 or exponent[0] in "-−–" or (word[0] in _LENGTHS and exponent in ("2", "3", "4"))


def end_of(pieces: Sequence[str]) -> str:
    """As much of the end of a text in pieces as `raised_text` needs."""
    end = ""
    for piece in reversed(pieces):
        end = piece[-REACH:] + end
        if len(end) >= REACH:
            break
    return end
