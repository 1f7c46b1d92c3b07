"""The number and the heading that a clause opens with. Both are written out, so they are read and not guessed."""

from __future__ import annotations

import re
from dataclasses import dataclass

_DIVISIONS = "article|section|clause|part|annex|appendix|schedule|exhibit|attachment"
_DIVISION = re.compile(
    rf"(?P<number>(?i:{_DIVISIONS})\s{{1,3}}(?:\d{{1,3}}(?:\.\d{{1,3}}){{0,5}}|[IVXLC]{{1,7}}|[A-Z]))"
)
_DECIMAL = re.compile(r"(?P<number>\d{1,3}(?:\.\d{1,3}){1,5}|\d{1,3}(?=[.)])|[IVXLC]{1,7}(?=[.)])|[A-Z](?=\.\s))")
_BEHIND_NUMBER = re.compile(r"[.):]?[\s–—:-]{1,8}")
_MARKDOWN = re.compile(r"#{1,6}\s{1,8}")
# A clause says something: it begins with a capital, a quotation or a bracket, or it is only a number on its line.
_OPENING = re.compile(r"[A-Z\"“‘'\[(]|$", re.MULTILINE)
_HEADING_STOP = re.compile(r"[.:](?=\s|$)|\n|\s[–—-]\s")
_MAX_HEADING_LENGTH, _MAX_HEADING_WORDS = 90, 10
_EMPHASIS = " *_#"
# Small words that a title writes without a capital.
_PARTICLE_WORDS = "a an and as at by for from in into of on or the to upon with without"
_TITLE_PARTICLES = frozenset(_PARTICLE_WORDS.split())


@dataclass(frozen=True, kw_only=True)
class ClauseOpening:
    """What a block of text opens: the number as written and the heading; `depth` counts from 1."""

    number: str
    heading: str
    depth: int
    is_bare: bool  # nothing stands behind number and heading


def read_opening(block: str, *, level: int = 0) -> ClauseOpening | None:
    """The clause that this block opens; None where it continues the clause before it. `level` is that of the heading
    that the document's reader found here, or 0. The time is linear in the text."""
    markdown = _MARKDOWN.match(block)
    begin = markdown.end() if markdown else 0
    marked_level = level or (len(markdown.group().strip()) if markdown else 0)
    number, rest_at = read_number(block, begin)
    rest = block[rest_at:]
    heading = _leading_heading(rest, is_marked=marked_level > 0, is_numbered=bool(number))
    if not number and not heading:
        return None
    depth = number.count(".") + 1 if number else max(1, marked_level)
    behind = rest[len(heading) :].strip(" .:*_#\n–—-") if heading else rest.strip()
    return ClauseOpening(number=number, heading=heading.strip(_EMPHASIS), depth=depth, is_bare=not behind)


def read_number(block: str, begin: int) -> tuple[str, int]:
    """The number as written that stands at `begin`, or "", and where what stands behind it begins."""
    found = _DIVISION.match(block, begin) or _DECIMAL.match(block, begin)
    if found is None:
        return "", begin
    behind = _BEHIND_NUMBER.match(block, found.end())
    at = behind.end() if behind else found.end()
    is_alone = not block[found.end() :].strip(" .):")
    if (behind is None and not is_alone) or not _OPENING.match(block, at):
        return "", begin
    return " ".join(found["number"].split()), at


def _leading_heading(rest: str, *, is_marked: bool, is_numbered: bool) -> str:
    """The words that name the clause: a title up to its full stop or the end of the line."""
    stop = _HEADING_STOP.search(rest, 0, _MAX_HEADING_LENGTH + 1)
    head = rest[: stop.start()] if stop else rest[: _MAX_HEADING_LENGTH + 1]
    if not head.strip() or len(head) > _MAX_HEADING_LENGTH:
        return ""
    if is_marked and (stop is None or stop.group() == "\n"):
        return head
    is_whole = not rest[len(head) :].strip(" .:")
    is_title = _is_title(head)
    if is_numbered:
        return head if is_title and (stop is not None or is_whole) else ""
    return head if is_whole and is_title and head.isupper() else ""


def _is_title(text: str) -> bool:
    words = [word.strip("\"“”'‘’(),;*_") for word in text.split()]
    words = [word for word in words if word]
    if not words or len(words) > _MAX_HEADING_WORDS:
        return False
    telling = [word for word in words if word.lower() not in _TITLE_PARTICLES]
    return bool(telling) and all(not word[0].isalpha() or word[0].isupper() for word in (words[0], *telling))
