"""Misspelt words of a question: each stands for the nearest word that the index holds, if one is near enough."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from lexibrarian.stemming import ENDINGS, stem

_SHORTEST = 4
# Shorter words than these have too many others beside them: `mail` is no `main`, and `airplane` no `airline`.
_SHORTEST_WITH_OTHER_LETTER = 7
_SHORTEST_WITH_TWO_SLIPS = 10
_LONGEST_ENDING = max(map(len, ENDINGS))


class Meant(NamedTuple):
    """The word that a misspelt one stands for, and its stem, by which it is found."""

    word: str
    stem: str


def meant_by(word: str, known: Callable[[str, int, int], Iterable[tuple[str, int]]]) -> Meant | None:
    """The nearest known word, `None` where none is near; the first letter is taken to be right.

    `known` gives the stems that begin with a letter and have between two lengths, each with how often it is held.
    """
    word = word.casefold()
    if len(word) < _SHORTEST or not word.isalpha():
        return None
    most = 2 if len(word) >= _SHORTEST_WITH_TWO_SLIPS else 1
    found = [
        (slips, -held, form, base)
        for base, held in known(word[0], len(word) - most - _LONGEST_ENDING, len(word) + most)
        if base.isalpha()
        for form in _forms(base)
        if (slips := _slips(word, form, most)) <= most
    ]
    return Meant(*min(found)[2:]) if found else None


def _forms(base: str) -> list[str]:
    """The stem itself and with each ending that is taken off again."""
    return [base, *(form for ending in (*ENDINGS, "s") if stem(form := base + ending) == base)]


def _slips(word: str, other: str, most: int) -> int:
    """How many letters are missing, too many, swapped or, in a long word, other ones; more than `most` where they are
    more."""
    if abs(len(word) - len(other)) > most or len(set(word) ^ set(other)) > 2 * most:
        return most + 1
    replaced = 1 if len(word) >= _SHORTEST_WITH_OTHER_LETTER else 2
    before: list[int] = []
    row = list(range(len(other) + 1))
    for at, letter in enumerate(word, 1):
        before, last, row = row, before, [at]
        for column, beside in enumerate(other, 1):
            best = min(before[column] + 1, row[-1] + 1, before[column - 1] + replaced * (letter != beside))
            if at > 1 and column > 1 and letter == other[column - 2] and word[at - 2] == beside:
                best = min(best, last[column - 2] + 1)
            row.append(best)
        if min(row) > most:
            return most + 1
    return row[-1]
