"""Finds statements and sentences in source code: a line of code is one statement, and prose in it has sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

from language.sentences import TextSpan, sentence_spans

_QUOTES = ('"""', "'''")
_OPENING = re.compile(r"\s*(?:[rRfFbBuU]{0,2}(?:\"\"\"|''')\s*)?")
_COMMENT = re.compile(r"[ \t]*(?:#|//|/\*|\*|--)")


def code_spans(text: str) -> list[TextSpan]:
    """`(start, end)` of every line of code and every sentence of comments and docstrings, in order, trimmed; the marks
    around a docstring belong to none."""
    return [span for start, end, is_prose in _regions(text) for span in _spans_of_region(text, start, end, is_prose)]


def _spans_of_region(text: str, start: int, end: int, is_prose: bool) -> Iterator[TextSpan]:
    spans = sentence_spans(text[start:end]) if is_prose else [(0, end - start)]
    for first, last in spans:
        opening = _OPENING.match(text, start + first, start + last)
        begin = opening.end() if opening else start + first
        said = text[begin : start + last].rstrip().removesuffix('"""').removesuffix("'''").rstrip()
        if said:
            yield begin, begin + len(said)


def _regions(text: str) -> Iterator[tuple[int, int, bool]]:
    """Lines of code one by one, and neighbouring lines of prose together."""
    at = prose_from = 0
    quote, was_prose = "", False
    for line in text.splitlines(keepends=True):
        begun = line.lstrip(" \trRfFbBuU")
        opened = "" if quote else next((mark for mark in _QUOTES if begun.startswith(mark)), "")
        is_prose = bool(quote or opened) or _COMMENT.match(line) is not None
        if is_prose and not was_prose:
            prose_from = at
        if was_prose and not is_prose:
            yield prose_from, at, True
        if not is_prose:
            yield at, at + len(line), False
        mark = quote or opened
        if mark and line.count(mark) % 2:
            quote = "" if quote else mark
        was_prose = is_prose
        at += len(line)
    if was_prose:
        yield prose_from, at, True
