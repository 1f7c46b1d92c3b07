"""A list that is quoted line by line: its place on the page, word for word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from language.cache_sizes import CACHED_SENTENCES
from querying.answering.grounding.quotations import normalize_quote
from querying.sanitize import sanitize

Span = tuple[int, int]

_BULLET = re.compile(r"\s{0,8}[-*+•●▪◦○‣⁃–—·✓☐\uf0b7]\s{1,8}")
_STOPS = " .,;:!?"


def quoted_lines_span(claim: str, sentences: Sequence[Span], text: str) -> Span | None:
    """From where to where the text has the lines of the claim: whole sentences in their order with nothing left out,
    but for bullets, the breaks of lines and the stop at the end. None where it does not."""
    wanted = _bare(" ".join(map(_without_bullet, claim.splitlines())))
    for first, (start, _) in enumerate(sentences):
        said = ""
        for begin, end in sentences[first:]:
            said = f"{said} {_bare(_without_bullet(text[begin:end]))}".strip()
            if said.rstrip(_STOPS) == wanted.rstrip(_STOPS):
                return start, end
            if not wanted.startswith(said):
                break
    return None


def _without_bullet(line: str) -> str:
    return line[mark.end() :] if (mark := _BULLET.match(line)) else line


@lru_cache(maxsize=CACHED_SENTENCES)
def _bare(text: str) -> str:
    return " ".join(normalize_quote(sanitize(text)).split()).casefold()
