"""How many tokens a text is worth: one estimate for budgets everywhere, without a vocabulary to download."""

from __future__ import annotations

import re

# Byte-pair vocabularies keep short words and runs of spaces whole and cut the rest into pieces.
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d{1,3}|\n+|[^\S\n]{2,}|[^\sA-Za-z\d]{1,2}")
_WHOLE = 8
_PER_PIECE = 5


def count_tokens(text: str) -> int:
    """The estimated number of tokens."""
    total = 0
    for piece in _PIECE.findall(text):
        if not piece.isascii():
            total += max(1, len(piece.encode("utf-8")) // 2)
        elif len(piece) > _WHOLE and piece.isalpha():
            total += -(-len(piece) // _PER_PIECE)
        else:
            total += 1
    return total
