"""Places at which the text around a cited span can be cut without cutting a word."""

from __future__ import annotations

import re

_WORD_CHARACTER = re.compile(r"\S")
_REST_OF_WORD = re.compile(r"\S{0,60}\s+")


def word_start(text: str, position: int, *, limit: int) -> int:
    """The start of the first whole word from here on, at most the limit. In text without spaces, this place."""
    if position == 0 or not _WORD_CHARACTER.match(text, position - 1):
        return position
    rest = _REST_OF_WORD.match(text, position, limit)
    return rest.end() if rest else position


def word_end(text: str, position: int, *, limit: int) -> int:
    """The end of the last whole word up to here, at least the limit. In text without spaces, this place."""
    if not _WORD_CHARACTER.match(text, position):
        return position
    return next((at for at in range(position, max(limit, position - 60), -1) if text[at - 1].isspace()), position)
