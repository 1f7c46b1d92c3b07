"""Source code, kept line for line, with an outline by indentation: it holds for any language that is laid out by it.

A line that names something and has deeper lines below it opens a section, and so does a member of a class. What stands
directly above it (comments, decorators) belongs to it. Where the deeper lines end, the section ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from knowledge.readers.single_page import single_page_events
from knowledge.readers.text import decode_bytes
from knowledge.readers.text_cleaning import clean_text
from knowledge.readers.types import Heading, Limits, ReaderEvent

_TAB_WIDTH = 4
_MAX_LEVEL = 6
# What is read of a line, and how much of it may stand before the name that it declares.
_MAX_LINE_LENGTH, _MAX_LEAD_LENGTH = 400, 160
_CONTAINER_WORDS = "class interface struct impl trait enum module namespace object record protocol extension mod"
_CONTAINERS = frozenset(_CONTAINER_WORDS.split())
_DECLARATION = re.compile(
    rf"(?:^|\s)(def|func|fn|function|type|{'|'.join(_CONTAINERS)})\b(?:<[^<>]{{0,80}}>)?[\s*]{{0,4}}"
    r"(?:\([^()]{0,120}\)\s?)?([A-Za-z_$][\w$]{0,120})"
)
_LEAD = re.compile(r"[^({=:;]*")
_NAME = re.compile(r"[A-Za-z_$][\w$]{0,120}")
# A line that begins with one of these names nothing.
_STATEMENT_WORDS = """
    if elif else for foreach while until switch match case when try except catch finally with return yield raise throw
    assert del do unless select defer go unsafe from import use using package include require print echo
"""
_STATEMENTS = frozenset(_STATEMENT_WORDS.split())
_IMPORTS = re.compile(r"(?:from|import|use|using|package|#\s?include|require)\b")
_ABOVE = ("@", "#", "//", "/*", "*", "--", "[")
_CLOSING = (")", "]", "}", "end")


@dataclass(frozen=True, slots=True)
class _CodeLine:
    """A line that is not blank. `start` is where it begins in the text."""

    start: int
    indent: int
    text: str  # trimmed
    follows_blank: bool


def read(path: Path, *, limits: Limits) -> Iterator[ReaderEvent]:
    text = clean_text(decode_bytes(path.read_bytes()))
    yield from single_page_events(text=text, limits=limits, headings=find_outline(text))


def find_outline(text: str) -> list[Heading]:
    """What the text declares, as headings by their names. One without a title ends the section before it."""
    lines = [line for line in _code_lines(text) if line.text != "{"]
    found: dict[int, Heading] = {}
    open_indents: list[tuple[int, bool]] = []  # of the declarations around the line, and whether each has members
    is_import = has_ended = False
    for at, line in enumerate(lines):
        has_ended |= _close_blocks(open_indents, line)
        was_import, is_import = is_import, not open_indents and _is_import(line, goes_on=is_import)
        has_ended |= was_import != is_import and bool(line.start)
        level = min(len(open_indents) + 1, _MAX_LEVEL)
        if declared := _declaration(lines, at, open_indents):
            start = _start_with_lead(lines, at)
            found[start] = Heading(page=1, start=start, level=level, title=declared[0])
            open_indents.append((line.indent, declared[1]))
            has_ended = False
        elif has_ended and not line.text.startswith(_ABOVE):  # a comment belongs to what comes next
            found[line.start] = Heading(page=1, start=line.start, level=level, title="")
            has_ended = False
    return sorted(found.values(), key=lambda heading: heading.start)


def _code_lines(text: str) -> Iterator[_CodeLine]:
    at, follows_blank = 0, True
    for line in text.split("\n"):
        stripped = line[:_MAX_LINE_LENGTH].strip()
        if stripped:
            lead = line[: len(line) - len(line.lstrip())]
            yield _CodeLine(at, len(lead.expandtabs(_TAB_WIDTH)), stripped, follows_blank)
        follows_blank = not stripped
        at += len(line) + 1


def _is_import(line: _CodeLine, *, goes_on: bool) -> bool:
    """Whether the line is an import, or a further line of one."""
    is_further = goes_on and (line.indent > 0 or line.text.startswith(_CLOSING))
    return is_further or (line.indent == 0 and _IMPORTS.match(line.text) is not None)


def _close_blocks(open_indents: list[tuple[int, bool]], line: _CodeLine) -> bool:
    """Leave the declarations that this line does not belong to. Whether there were any."""
    before = len(open_indents)
    while open_indents and line.indent <= open_indents[-1][0] and not line.text.startswith(_CLOSING):
        open_indents.pop()
    return len(open_indents) < before


def _declaration(lines: Sequence[_CodeLine], at: int, around: Sequence[tuple[int, bool]]) -> tuple[str, bool] | None:
    """The name that the line declares, and whether that has members; None where it opens no section."""
    line = lines[at]
    if not (around[-1][1] if around else line.indent == 0):
        return None
    if at + 1 >= len(lines) or lines[at + 1].indent <= line.indent or line.text.startswith((*_ABOVE, *_CLOSING)):
        return None
    lead = _LEAD.match(line.text)
    words = _NAME.findall(lead[0][:_MAX_LEAD_LENGTH]) if lead else []
    if not words or words[0].lower() in _STATEMENTS:
        return None
    if declared := _DECLARATION.search(line.text):
        return declared[2], declared[1] in _CONTAINERS
    is_block = line.text.endswith("{")
    is_value = line.text[len(lead[0]) :][:1] in ("=", ":") if lead else False
    return (words[-1], False) if is_block or (is_value and not around) else None


def _start_with_lead(lines: Sequence[_CodeLine], at: int) -> int:
    """Where the comments and decorators begin that stand directly above the line."""
    line, start = lines[at], lines[at].start
    while at > 0 and not lines[at].follows_blank:
        at -= 1
        above = lines[at]
        if above.indent == line.indent and above.text.startswith(_ABOVE):
            start = above.start
        elif above.indent < line.indent or (above.indent == line.indent and not above.text.startswith(_CLOSING)):
            break
    return start
