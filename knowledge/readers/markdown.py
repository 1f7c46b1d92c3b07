"""Markdown, kept word for word: an expert recognises the source, and a citation quotes it as it stands.

Nothing is rendered and nothing is fetched, so an image address in the text is just text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate, pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from knowledge.readers.single_page import single_page_events
from knowledge.readers.text import decode_bytes
from knowledge.readers.text_cleaning import clean_text, one_line
from knowledge.readers.types import Heading, Limits, ReaderEvent, TooLarge

# Making a parser takes longer than most headings.
_INLINE_PARSER = MarkdownIt("commonmark")
_MAX_FRONT_MATTER_LINES = 200
# A short paragraph that is bold from end to end stands over what follows like a heading of the lowest level.
_BOLD_LINE = re.compile(r"(?:\*\*[^*]{2,150}\*\*|__[^_]{2,150}__):?\s*")
_BOLD_LINE_LEVEL = 6
_FRONT_MATTER_LINE = re.compile(r"[A-Za-z][\w -]{0,59}:|\s{0,20}-\s|\s|#")
_FRONT_MATTER_FIELD = re.compile(r"([A-Za-z][\w-]{0,59})\s{0,20}:\s(.{0,500})")


def read(path: Path, *, limits: Limits) -> Iterator[ReaderEvent]:
    text = clean_text(decode_bytes(path.read_bytes()))
    if len(text) > limits.max_unpaged_characters:
        raise TooLarge()
    metadata, text = split_front_matter(text)
    headings = find_headings(text)
    title = metadata.get("title") or next((heading.title for heading in headings if heading.level == 1), None)
    yield from single_page_events(text=text, limits=limits, title=title, headings=headings, metadata=metadata)


def split_front_matter(text: str) -> tuple[dict[str, str], str]:
    """Leading `key: value` lines between two `---`, and the rest. Anything less simple stays in the text."""
    if not text.startswith("---\n"):
        return {}, text
    lines = text.split("\n", _MAX_FRONT_MATTER_LINES)
    end = next((i for i, line in enumerate(lines[1:], start=1) if line.rstrip() == "---"), None)
    fields = [_FRONT_MATTER_FIELD.fullmatch(line) for line in lines[1:end] if line.strip()] if end else []
    if not fields or not all(fields):
        return {}, text
    metadata = {match[1]: match[2].strip().strip("\"'") for match in fields if match}
    return metadata, "\n".join(lines[(end or 0) + 1 :]).lstrip("\n")


def find_headings(text: str) -> list[Heading]:
    """The headings of a Markdown text: `#`, underlined ones and bold lines, but not those in code."""
    parser = MarkdownIt("commonmark", {"maxNesting": 20})
    # The inline pass over every paragraph is the slow part, and only headings need it.
    parser.core.ruler.disable("inline")
    tokens = parser.parse(text)
    line_starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    first = _front_matter_end(text)
    pairs = ((_heading_level(opening, inline), opening, inline) for opening, inline in pairwise(tokens))
    return [
        _heading(level, opening, inline, line_starts)
        for level, opening, inline in pairs
        if level and _line(opening) >= first
    ]


def _front_matter_end(text: str) -> int:
    """The first line after the fields that a text may begin with: a rule below them does not make them a heading."""
    lines = text.split("\n", _MAX_FRONT_MATTER_LINES)
    end = next((at for at, line in enumerate(lines[1:], start=1) if line.rstrip() == "---"), 0)
    is_fields = lines[0] == "---" and all(map(_FRONT_MATTER_LINE.match, filter(str.strip, lines[1:end])))
    return end + 1 if is_fields else 0


def _line(token: Token) -> int:
    return token.map[0] if token.map else 0


def _heading_level(opening: Token, inline: Token) -> int | None:
    if opening.type == "heading_open":
        return int(opening.tag[1:])
    is_bold_line = opening.type == "paragraph_open" and opening.level == 0 and _BOLD_LINE.fullmatch(inline.content)
    return _BOLD_LINE_LEVEL if is_bold_line else None


def _heading(level: int, opening: Token, inline: Token, line_starts: list[int]) -> Heading:
    return Heading(
        page=1, start=line_starts[_line(opening)], level=level, title=_strip_markup(inline.content).removesuffix(":")
    )


def _strip_markup(markup: str) -> str:
    """The words of a heading without emphasis, links and tags."""
    [inline] = _INLINE_PARSER.parseInline(markup[:1000])
    return one_line("".join(map(_token_text, inline.children or [])))[:200]


def _token_text(token: Token) -> str:
    if token.type in ("softbreak", "hardbreak"):
        return " "
    return "" if token.type == "html_inline" else token.content
