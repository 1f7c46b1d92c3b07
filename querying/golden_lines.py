"""What an expert fixes about a golden question, as lines of plain text and back. Errors name the line."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from django.core.exceptions import ValidationError

MOST_LINES = 50
LONGEST_WORDS = 200  # characters of a phrase that the answer must contain
REFUSES = "What is refused cites nothing and contains nothing."
_PAGE = re.compile(r"\s*p(?:age|\.)?\s*([0-9]{1,6})\s*", re.IGNORECASE)

Place = list[str | int | None]


def read_places(text: str) -> list[Place]:
    """`Cover handbook, p. 3` is `["Cover handbook", 3]`; without a page any will do. Raises a `ValidationError`."""
    return [_place(line) for _, line in _lines(text)]


def write_places(places: Sequence[Sequence[Any]]) -> str:
    return "\n".join(_written(*place) for place in places)


def read_phrases(text: str) -> list[str]:
    """One phrase a line. Raises a `ValidationError`."""
    phrases = []
    for number, line in _lines(text):
        if len(line) > LONGEST_WORDS:
            raise ValidationError(f"Line {number}: at most {LONGEST_WORDS} characters.")
        phrases.append(line)
    return phrases


def read_facts(text: str) -> dict[str, Any]:
    """`exposure = severe`; a number, true or false is read as one. Raises a `ValidationError`."""
    facts = {}
    for number, line in _lines(text):
        name, separator, value = (part.strip() for part in line.partition("="))
        if not (name and separator and value):
            raise ValidationError(f"Line {number}: a fact is written “name = value”.")
        facts[name] = _scalar(value)
    return facts


def write_facts(facts: Mapping[str, Any]) -> str:
    return "\n".join(
        f"{name} = {value if isinstance(value, str) else json.dumps(value)}" for name, value in facts.items()
    )


def unknown_places(places: Sequence[Sequence[Any]], *, titles: Mapping[str, int], each: str = "Line") -> list[str]:
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


def _lines(text: str) -> list[tuple[int, str]]:
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if len(lines) > MOST_LINES:
        raise ValidationError(f"At most {MOST_LINES} lines.")
    return lines


def _place(line: str) -> Place:
    title, separator, rest = line.rpartition(",")
    if separator and title.strip() and (page := _PAGE.fullmatch(rest)):
        return [title.strip(), int(page[1])]
    return [line, None]


def _written(title: str, page: int | None = None) -> str:
    return title if page is None else f"{title}, p. {page}"


def _scalar(value: str) -> Any:
    try:
        read = json.loads(value)
    except (ValueError, RecursionError):
        return value
    if isinstance(read, float) and not math.isfinite(read):
        return value
    return read if isinstance(read, bool | int | float) else value
