"""Rows of a Markdown table as a quotation shows them: without the bars that draw the table."""

from __future__ import annotations

import re

_CUT = "…"
_BAR = re.compile(r"(?<!\\)\|")
_RULE_CHARACTERS = frozenset("|-: ")


def has_rows(text: str) -> bool:
    """Whether a line of it is a row of a Markdown table."""
    return any(map(_is_row, text.split("\n")))


def without_bars(text: str) -> str:
    """With dots between the cells of each row, and without the rule below the headers."""
    shown = [_row(line.strip()) if _is_row(line) else line for line in text.split("\n") if not _is_rule(line)]
    return "\n".join(shown)


def _bare(line: str) -> str:
    return line.strip().removeprefix(_CUT).removesuffix(_CUT).strip()


def _is_row(line: str) -> bool:
    bare = _bare(line)
    return bare.startswith("|") or (bare.endswith("|") and " | " in bare)


def _is_rule(line: str) -> bool:
    """Whether it is the line below the headers of a table."""
    return _is_row(line) and _RULE_CHARACTERS.issuperset(_bare(line))


def _row(line: str) -> str:
    cells = " · ".join(cell for part in _BAR.split(_bare(line)) if (cell := part.strip()))
    start = f"{_CUT} " if line.startswith(_CUT) else ""
    return f"{start}{cells}{f' {_CUT}' if line.endswith(_CUT) else ''}"
