"""Files cut into passages that can be found and quoted: sections of texts, and blocks of code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lexibrarian.artefacts.aindex import CHILD_MAP
from lexibrarian.artefacts.design import GENERATED_SECTIONS
from lexibrarian.artefacts.markdown import FOOTER, headings

_LONGEST_PASSAGE = 40
_SHORTEST_BLOCK = 4
_GENERATED = (*GENERATED_SECTIONS, CHILD_MAP)
_HEADING = re.compile(r"(#{1,6}) +(.*)")
_ALONE = re.compile(r"\s*([-*+] |\d+[.)] |#{1,6} |\||>|\*\*\w+:\*\*|[a-z_]+: )")
_ENDS = re.compile(r"(?<=[.!?])\s+(?=\S)")
_MARKS = re.compile(r"^\s*(?:#+!?|//[/!]?|/\*+|\*+/?|--|;+)?\s?|\s*\*/\s*$|\"\"\"|\'\'\'")
_FIELD = re.compile(r"^(description|title|aliases): ")


@dataclass(frozen=True)
class Passage:
    """Some lines of a file, counted from 1, both ends included; `head` are the headings that it stands under."""

    head: str
    start: int
    end: int


@dataclass(frozen=True)
class Sentence:
    """A sentence, or a line of code, and the lines that it stands on."""

    text: str
    start: int
    end: int


def split_text(lines: list[str], *, library: bool) -> list[Passage]:
    """The sections of a Markdown file; of a file of the `library` without what was copied out of sources."""
    found: list[Passage] = []
    heads: list[str] = []
    start, skipped = 1, False
    headed = _headings_by_line(lines)
    for number, line in enumerate(lines, 1):
        heading = headed.get(number)
        footer = library and line.startswith(FOOTER)
        if heading or footer:
            if not skipped:
                found += _cut(" ".join(heads), start, number - 1)
            start = number
        if footer:
            return found
        if heading:
            words = heading["heading"].strip()
            heads = [*heads[: len(heading["level"]) - 1], words]
            skipped = library and words in _GENERATED
    return found + ([] if skipped else _cut(" ".join(heads), start, len(lines)))


def _headings_by_line(lines: list[str]) -> dict[int, re.Match[str]]:
    text = "\n".join(lines)
    found = {}
    number, at = 1, 0
    for heading in headings(text):
        number += text.count("\n", at, heading.start())
        at = heading.start()
        found[number] = heading
    return found


def _cut(head: str, start: int, end: int) -> list[Passage]:
    return [Passage(head, at, min(at + _LONGEST_PASSAGE - 1, end)) for at in range(start, end + 1, _LONGEST_PASSAGE)]


def split_code(lines: list[str]) -> list[Passage]:
    """Blocks of code: a new one begins behind a blank line, where the indentation is not deeper than at the last."""
    found = []
    start, indent, blank = 1, 0, True
    for number, line in enumerate(lines, 1):
        if not line.strip():
            blank = True
            continue
        here = len(line) - len(line.lstrip())
        size = number - start
        if size >= _LONGEST_PASSAGE or (blank and here <= indent and size >= _SHORTEST_BLOCK):
            found.append(Passage("", start, number - 1))
            start, indent = number, here
        blank = False
    return [*found, Passage("", start, len(lines))] if lines else found


def sentences(lines: list[str], start: int, *, headed: bool = True) -> Iterator[Sentence]:
    """The sentences of a text whose first line has the number `start`; comments are joined without their marks.

    Lines that begin with `# ` are headings in a `headed` text, and left out.
    """
    block: list[tuple[int, str]] = []
    for number, line in enumerate(lines, start):
        bare = _MARKS.sub("", _FIELD.sub("", line)) if not line.lstrip().startswith("<!--") else ""
        bare = "" if _HEADING.match(line) and headed else bare
        alone = _ALONE.match(line) and not line.lstrip().startswith(("# ", "#:", "* "))
        if block and (not bare.strip() or alone):
            yield from _of_block(block)
            block = []
        if bare.strip():
            block.append((number, bare.strip()))
    if block:
        yield from _of_block(block)


def _of_block(block: list[tuple[int, str]]) -> Iterator[Sentence]:
    text = " ".join(line for _, line in block)
    ends = []
    at = 0
    for number, line in block:
        at += len(line) + 1
        ends.append((at, number))
    start = 0
    for piece in _ENDS.split(text):
        begin = text.index(piece, start)
        start = begin + len(piece)
        yield Sentence(piece.strip("- \"'"), _line_at(ends, begin), _line_at(ends, start - 1))


def _line_at(ends: list[tuple[int, int]], offset: int) -> int:
    return next((number for end, number in ends if offset < end), ends[-1][1])


def code_lines(lines: list[str], start: int) -> Iterator[Sentence]:
    """The lines of a block of code, and the sentences of its comments and docstrings."""
    prose: list[str] = []
    begin, inside = start, ""
    for number, line in enumerate(lines, start):
        bare = line.strip()
        quote = next((mark for mark in ('"""', "'''") if mark in bare), "")
        comment = bare.startswith(("#", "//", "/*", "*", "--")) or bool(inside)
        opens = bool(quote) and not inside and bare.lstrip("rbfuRBFU").startswith(quote)
        if comment or opens:
            begin = begin if prose else number
            prose.append(line)
            closed = (inside and inside in bare) or (opens and bare.count(quote) > 1)
            inside = "" if closed else (quote if opens else inside)
            continue
        yield from sentences(prose, begin, headed=False)
        prose = []
        if bare:
            yield Sentence(bare, number, number)
    yield from sentences(prose, begin, headed=False)
