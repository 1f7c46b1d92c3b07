"""A list that is quoted line by line: its place on the page, word for word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from language.cache_sizes import CACHED_SENTENCES
from language.lists import without_bullet
from querying.answering.grounding.quotations import normalize_quote
from querying.sanitize import sanitize

Span = tuple[int, int]

_STOPS = " .,;:!?"


def quoted_lines_span(claim: str, sentences: Sequence[Span], text: str) -> Span | None:
    """From where to where the text has the lines of the claim: whole sentences in their order with nothing left out,
    but for bullets, the breaks of lines and the stop at the end. None where it does not.

    A claim of several lines may also begin, or end, where a line does and the next one begins with a capital: pages
    without blank lines run a heading and a list together with the prose beside them."""
    wanted = _bare(" ".join(map(without_bullet, claim.splitlines()))).rstrip(_STOPS)
    pieces = list(_split_lines(sentences, text)) if "\n" in claim else list(sentences)
    for first, (start, _) in enumerate(pieces):
        said = ""
        for place, (begin, end) in enumerate(pieces[first:], start=first):
            said = f"{said} {_bare(without_bullet(text[begin:end]))}".strip()
            if said.rstrip(_STOPS) == wanted and _is_edge(text, pieces[place + 1 : place + 2]):
                return (start, end) if _is_edge(text, [pieces[first]]) else None
            if not wanted.startswith(said.rstrip(_STOPS)):
                break
    return None


def _split_lines(sentences: Sequence[Span], text: str) -> Iterator[Span]:
    for start, end in sentences:
        at = start
        for line in text[start:end].splitlines(keepends=True):
            if stripped := line.strip():
                begin = at + line.index(stripped)
                yield begin, begin + len(stripped)
            at += len(line)


def _is_edge(text: str, following: Sequence[Span]) -> bool:
    """Whether what begins here goes on from nothing: it has no small letter first."""
    return not following or not text[following[0][0]].islower()


@lru_cache(maxsize=CACHED_SENTENCES)
def _bare(text: str) -> str:
    return " ".join(normalize_quote(sanitize(text)).split()).casefold()
