"""Finds code in Markdown, where links and comments do not count. Linear in the length of the text."""

from __future__ import annotations

import re
from collections.abc import Iterator

# A fence of backticks has none behind it on its line, or it would be a span of code.
_FENCE_PATTERN = r"^ {0,3}(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})"
_BACKTICK_RUN = r"(?P<run>`+)"
CODE_OPENING = re.compile(f"{_FENCE_PATTERN}|{_BACKTICK_RUN}", re.MULTILINE)
# A span of code is short; a lone backtick must not cost a search through the whole text.
_MAX_SPAN_LENGTH = 1000


def find_code_end(text: str, opening: re.Match[str]) -> int:
    """Where the code that begins with this match of `CODE_OPENING` ends: behind its own marker where it is none."""
    if fence := opening["fence"]:
        closing = re.compile(rf"^ {{0,3}}{fence[0]}{{{len(fence)},}}[ \t]*$", re.MULTILINE)
        found = closing.search(text, opening.end())
        return found.end() if found else len(text)
    run = opening["run"]
    span = re.compile(rf"(?<!`)`{{{len(run)}}}(?!`)").search(text, opening.end(), opening.end() + _MAX_SPAN_LENGTH)
    return span.end() if span else opening.end()


def split_code(text: str) -> Iterator[tuple[bool, str]]:
    """The text in order, in pieces that are code (true) or prose."""
    position = 0
    while opening := CODE_OPENING.search(text, position):
        end = find_code_end(text, opening)
        yield False, text[position : opening.start()]
        yield True, text[opening.start() : end]
        position = end
    yield False, text[position:]
