"""Numbers that two readings of a line do not agree on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

_NUMBER_SIGNS = re.compile(r"\d|(?<=\d)[.,:/](?=\d)|[−-](?=\d)|%")


def unsure_words(words: Sequence[str], second: str) -> set[int]:
    """Which of the words of the first reading differ in a number from the second reading, by their place."""
    others = second.split()
    unsure: set[int] = set()
    for kind, start, end, from_, to in SequenceMatcher(None, words, others, autojunk=False).get_opcodes():
        if kind != "equal" and _number_signs(words[start:end]) != _number_signs(others[from_:to]):
            numbers = {at for at in range(start, end) if any(map(str.isdigit, words[at]))}
            # Where only the second reading has a number, what the first has instead is not one.
            unsure |= numbers or set(range(start, end)) or {max(0, start - 1)}
    return unsure


def _number_signs(words: Sequence[str]) -> str:
    return "".join(_NUMBER_SIGNS.findall("".join(words)))
