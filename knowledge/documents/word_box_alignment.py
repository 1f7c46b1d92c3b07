"""Gives each word of a corrected text its box on the picture: unchanged words keep theirs, a new word gets that of the
word that it replaces."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

WordBox = Sequence[float | int]
_WORD = re.compile(r"\S+")


def placed_words(before: str, boxes: Sequence[WordBox], after: str) -> list[list[float | int]]:
    """`[start, end, x0, top, x1, bottom]` of the words of the text after it was corrected; words that replace none have
    no place."""
    placed = [box for box in sorted(boxes, key=lambda box: box[0]) if box[0] < box[1]]
    old = [before[int(box[0]) : int(box[1])] for box in placed]
    new = list(_WORD.finditer(after))
    words: list[list[float | int]] = []
    matcher = SequenceMatcher(None, old, [match[0] for match in new], autojunk=False)
    for _, start, end, from_, to in matcher.get_opcodes():
        places = (_place(placed[start:end], at, to - from_) for at in range(to - from_))
        words += [[*match.span(), *sides] for match, sides in zip(new[from_:to], places, strict=True) if sides]
    return words


def _place(replaced: Sequence[WordBox], at: int, count: int) -> list[float | int]:
    """The box of the word with the index `at` among the `count` words that replace others. Where as many were replaced,
    it is the box of the word with the same index. Else it is the box around all of them, if they are on one line."""
    if not replaced:
        return []
    if len(replaced) == count:
        return list(replaced[at][2:])
    first, last = replaced[0], replaced[-1]
    if last[3] >= first[5]:  # on another line
        return list(first[2:])
    return [
        min(box[2] for box in replaced),
        min(box[3] for box in replaced),
        max(box[4] for box in replaced),
        max(box[5] for box in replaced),
    ]
