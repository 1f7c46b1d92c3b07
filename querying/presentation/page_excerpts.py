"""Where text around a cited span begins and ends, so that no word is cut."""

from __future__ import annotations

import re

_WORD_CHARACTER = re.compile(r"\S")
_REST_OF_WORD = re.compile(r"\S{0,60}\s+")


def word_start(text: str, position: int, *, limit: int) -> int:
    """Where the first whole word from here on begins, at most at the limit. In what has no spaces, here."""
    if position == 0 or not _WORD_CHARACTER.match(text, position - 1):
        return position
    rest = _REST_OF_WORD.match(text, position, limit)
    return rest.end() if rest else position


def word_end(text: str, position: int, *, limit: int) -> int:
    """Where the last whole word up to here ends, at least at the limit. In what has no spaces, here."""
    if not _WORD_CHARACTER.match(text, position):
        return position
    return next((at for at in range(position, max(limit, position - 60), -1) if text[at - 1].isspace()), position)
