"""How many tokens a text is worth: one estimate for budgets everywhere, without a vocabulary to download."""

from __future__ import annotations

import re

# Byte-pair vocabularies keep short words and runs of spaces whole and cut the rest into pieces.
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d{1,3}|[^\sA-Za-z\d]{1,2}")
_SPACES, _FOREIGN_SPACES = re.compile(r"  +"), re.compile(r"[^\S\n]{2,}")
_WHOLE = 8
_PER_PIECE = 5
# The words of a codebase are few, but for their numbers, and each is cut into pieces once.
# Digits and white space count alike, whichever they are.
_SAME = str.maketrans("123456789\t\r\f\v\x1c\x1d\x1e\x1f", "000000000" + " " * 8)
_LONGEST_KEPT = 40
_MOST_KEPT = 50_000


def count_tokens(text: str) -> int:
    """The estimated number of tokens."""
    text = text.translate(_SAME)
    spaces = _SPACES if text.isascii() else _FOREIGN_SPACES
    words = sum(map(_TOKENS.__getitem__, text.split()))
    return words + len(spaces.findall(text)) + _runs_of_line_ends(text.split("\n"))


def _runs_of_line_ends(lines: list[str]) -> int:
    filled = sum(map(bool, lines))
    if not filled:
        return int(len(lines) > 1)
    # One between each two lines that hold something, one before the first and one behind the last.
    return filled - 1 + (not lines[0]) + (not lines[-1])


class _Tokens(dict[str, int]):
    """The number of tokens of each word that was asked for."""

    def __missing__(self, word: str) -> int:
        count = _tokens_in(word)
        if len(word) <= _LONGEST_KEPT and len(self) < _MOST_KEPT:
            self[word] = count
        return count


_TOKENS = _Tokens()


def _tokens_in(word: str) -> int:
    pieces = _PIECE.findall(word)
    long = [piece for piece in pieces if len(piece) > _WHOLE and piece.isalpha()]
    total = len(pieces) - len(long) + sum(-(-len(piece) // _PER_PIECE) for piece in long)
    if not word.isascii():
        foreign = [piece for piece in pieces if not piece.isascii()]
        total += sum(max(1, len(piece.encode("utf-8", "surrogatepass")) // 2) for piece in foreign) - len(foreign)
    return total
