"""Escapes cells that a spreadsheet would take for a formula, in every file that it may open."""

from __future__ import annotations

import unicodedata
from typing import Any

# A spreadsheet computes a cell that begins with one of these.
_FORMULA_SIGNS = ("=", "+", "-", "@", "\u2212")


def escape_formula(value: Any) -> str:
    """The value as a cell that is text: a formula gets an apostrophe in front, as people write it themselves.

    Spreadsheets also take the wide and small forms of the signs (＝, ﹢), and pass over what is not seen before them.
    """
    text = "" if value is None else str(value)
    first = next((character for character in text if unicodedata.category(character)[0] not in "ZC"), "")
    is_formula = text.startswith(("\t", "\r")) or unicodedata.normalize("NFKC", first).startswith(_FORMULA_SIGNS)
    return f"'{text}" if is_formula else text
