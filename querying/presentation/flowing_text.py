"""The text of a page for a reader: a line that only ends where its column ended goes on in the next one.

Files and PDFs break their lines at a width of their own. In a narrower column every second line would be short.
"""

from __future__ import annotations

import re
from itertools import pairwise

# What begins a line of its own: a heading, a list, a quotation, a row of a table.
_OWN_LINE = re.compile(r"\s*(?:[#>|•–—*+-]|\(?(?:\d{1,3}[.)]|[a-z]{1,4}\)|[a-z]\.)\s|\d{1,3}(?:\.\d{1,3}){1,5}\s)")
# What is set in columns, and the leaders of a table of contents.
_SET_APART = re.compile(r"\S(?: {2,}|\t|\.{4})")
_SENTENCE_ENDS = (".", "!", "?", ":", ";", "。", "！", "？", "；", "।")
# Of the longest line: a line that is shorter ends on purpose.
_FULL_LINE, _HALF_LINE = 0.8, 0.5


def flowing_parts(text: str, start: int, end: int) -> tuple[str, str, str]:
    """The text before, in and after this span, with a space in place of each line break that only wraps."""
    breaks = _wrapping_breaks(text)
    end = max(start, end)
    return _flow(text, 0, start, breaks), _flow(text, start, end, breaks), _flow(text, end, len(text), breaks)


def _wrapping_breaks(text: str) -> list[tuple[int, int]]:
    """Where a break that only wraps begins, and where the words of the next line do."""
    lines = text.split("\n")
    longest = max((len(line) for line in lines if not line.lstrip().startswith("|")), default=0)
    found, position = [], 0
    for line, following in pairwise(lines):
        position += len(line)
        if _wraps(line, following, longest=longest):
            found.append((position, position + 1 + len(following) - len(following.lstrip())))
        position += 1
    return found


def _wraps(line: str, following: str, *, longest: int) -> bool:
    said, next_words = line.rstrip(), following.lstrip()
    if not said or not next_words or _OWN_LINE.match(following) or said.lstrip().startswith(("#", "|")):
        return False
    if _SET_APART.search(said) or _SET_APART.search(next_words):
        return False
    if len(said) >= _HALF_LINE * longest and next_words[0].islower():
        return True
    return len(said) >= _FULL_LINE * longest and not said.endswith(_SENTENCE_ENDS)


def _flow(text: str, start: int, end: int, breaks: list[tuple[int, int]]) -> str:
    parts, position = [], start
    for first, after in breaks:
        if first < start < after:
            position = min(after, end)
        elif start <= first < end:
            parts += [text[position:first].rstrip(" "), " "]
            position = min(after, end)
    return "".join([*parts, text[position:end]])
