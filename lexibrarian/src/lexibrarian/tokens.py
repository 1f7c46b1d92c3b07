"""How many tokens a text is worth: one estimate for budgets everywhere, without a vocabulary to download."""

from __future__ import annotations

import re

# Byte-pair vocabularies keep short words and runs of spaces whole and cut the rest into pieces.
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d{1,3}|\n+|[^\S\n]{2,}|[^\sA-Za-z\d]{1,2}")
_WHOLE = 8
_PER_PIECE = 5


def count_tokens(text: str) -> int:
    """The estimated number of tokens."""
    pieces = _PIECE.findall(text)
    long = [piece for piece in pieces if len(piece) > _WHOLE and piece.isalpha()]
    total = len(pieces) - len(long) + sum(-(-len(piece) // _PER_PIECE) for piece in long)
    if not text.isascii():
        foreign = [piece for piece in pieces if not piece.isascii()]
        total += sum(max(1, len(piece.encode("utf-8", "surrogatepass")) // 2) for piece in foreign) - len(foreign)
    return total
