"""The expectations of a golden question as lines of plain text, written and parsed. Errors name the line."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from django.core.exceptions import ValidationError

from evaluation.models import GoldenQuestion
from lexic.column_length import column_length

MAX_LINES = 50
MAX_PHRASE_LENGTH = column_length(GoldenQuestion, "must_contain")
REFUSAL_CONFLICT = "What is refused cites nothing and contains nothing."
_PAGE_SUFFIX = re.compile(r"\s*p(?:age|\.)?\s*([0-9]{1,6})\s*", re.IGNORECASE)

CitedPlace = list[str | int | None]


def parse_places(text: str) -> list[CitedPlace]:
    """`Cover handbook, p. 3` is `["Cover handbook", 3]`; without a page any will do. Raises a `ValidationError`."""
    return [_parse_place(line) for _, line in _numbered_lines(text)]


def format_places(places: Sequence[Sequence[Any]]) -> str:
    return "\n".join(_format_place(*place) for place in places)


def parse_phrases(text: str) -> list[str]:
    """One phrase a line. Raises a `ValidationError`."""
    phrases = []
    for number, line in _numbered_lines(text):
        if len(line) > MAX_PHRASE_LENGTH:
            raise ValidationError(f"Line {number}: at most {MAX_PHRASE_LENGTH} characters.")
        phrases.append(line)
    return phrases


def parse_facts(text: str) -> dict[str, Any]:
    """`exposure = severe`; a number, true or false is read as one. Raises a `ValidationError`."""
    facts = {}
    for number, line in _numbered_lines(text):
        name, separator, value = (part.strip() for part in line.partition("="))
        if not (name and separator and value):
            raise ValidationError(f"Line {number}: a fact is written “name = value”.")
        facts[name] = _parse_scalar(value)
    return facts


def format_facts(facts: Mapping[str, Any]) -> str:
    return "\n".join(
        f"{name} = {value if isinstance(value, str) else json.dumps(value)}" for name, value in facts.items()
    )


def place_errors(places: Sequence[Sequence[Any]], *, titles: Mapping[str, int], each: str = "Line") -> list[str]:
    """What is wrong with places, each a sentence: no document of this title (with its pages, 0 where it has none),
    or no such page. `each` is what the reader calls one of them."""
    wrong = []
    for number, (title, page) in enumerate(places, start=1):
        if title not in titles:
            wrong.append(f"{each} {number}: the plugin has no document called “{title}”.")
        elif page is not None and page > titles[title]:
            pages = f"{titles[title]} pages" if titles[title] else "no pages"
            wrong.append(f"{each} {number}: “{title}” has {pages}.")
    return wrong


def _numbered_lines(text: str) -> list[tuple[int, str]]:
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if len(lines) > MAX_LINES:
        raise ValidationError(f"At most {MAX_LINES} lines.")
    return lines


def _parse_place(line: str) -> CitedPlace:
    title, separator, rest = line.rpartition(",")
    if separator and title.strip() and (page := _PAGE_SUFFIX.fullmatch(rest)):
        return [title.strip(), int(page[1])]
    return [line, None]


def _format_place(title: str, page: int | None = None) -> str:
    return title if page is None else f"{title}, p. {page}"


def _parse_scalar(value: str) -> Any:
    try:
        read = json.loads(value)
    except (ValueError, RecursionError):
        return value
    if isinstance(read, float) and not math.isfinite(read):
        return value
    return read if isinstance(read, bool | int | float) else value
