"""Words with a typing error: what is not a word itself, and nearly one of those that are looked for."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from knowledge.embedders import get_embedder

_SHORTEST, _LONGEST = 5, 30


def correct_spelling(word: str, known: Iterable[str]) -> str | None:
    """The one of the known words that `word` is a misspelling of; None where it is a word itself or near to none.

    A word differs by one slip (a letter too many, too few, another, or two exchanged), from nine letters on by two.
    """
    if not _SHORTEST <= len(word) <= _LONGEST or not word.isalpha():
        return None
    most = 1 if len(word) < 9 else 2
    near = (one for one in known if one[0] == word[0] and len(one) >= _SHORTEST and abs(len(one) - len(word)) <= most)
    found = min(((_slips(word, one), one) for one in near), default=(most + 1, ""))
    return found[1] if 0 < found[0] <= most and not is_word(word) else None


@lru_cache(maxsize=4096)
def is_word(word: str) -> bool:
    """Whether the tokenizer's 30,000 entries have the word as a whole."""
    return get_embedder("local").count_tokens(word) == 1


@lru_cache(maxsize=16_384)
def _slips(one: str, other: str) -> int:
    """How many slips lie between two words of at most 30 letters (optimal string alignment)."""
    before, row = list(range(len(other) + 1)), list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        earlier, before, row = before, row, [i]
        for j, wanted in enumerate(other, 1):
            row.append(min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != wanted)))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                row[j] = min(row[j], earlier[j - 2] + 1)
    return row[-1]
