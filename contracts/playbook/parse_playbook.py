"""A playbook read from Markdown: front matter as in notes, and a section for each position.

Its statements are texts that a contract is compared with. Nothing in it is run, and it holds no pattern.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, cast

from contracts.playbook.escalation import parse_rule
from contracts.playbook.limits import parse_limit
from contracts.playbook.playbook_types import (
    EscalationRule,
    Limit,
    Playbook,
    PlaybookKind,
    PlaybookStatement,
    Position,
    StatementKind,
    UnfitPlaybook,
)
from contracts.risk import MAX_SCALE, MIN_SCALE
from knowledge.readers.markdown import find_headings
from knowledge.sync.notes.frontmatter import parse_frontmatter, split_frontmatter
from knowledge.sync.notes.note_problems import NoteMistake

MAX_PLAYBOOK_CHARACTERS = 200_000
MAX_POSITIONS = 100
_MAX_RULES = 40
# Each is looked for in the contract.
_MAX_STATEMENTS = 12
_MAX_STATEMENT = 2000
_POSITION_LEVEL = 2
_FIELD_LINE = re.compile(
    r"[ ]{0,3}(?P<bullet>[-*+][ ]{1,4})?[*_]{0,2}(?P<label>[A-Za-z][A-Za-z -]{1,20}?)[*_]{0,2}:[*_]{0,2}(?:[ ]{1,4}|$)"
)
_LINE_BREAK = re.compile("\n")
_STATEMENT_LABELS: dict[str, StatementKind] = {
    "preferred": "preferred",
    "acceptable": "acceptable",
    "walk away": "walk_away",
    "suggestion": "suggestion",
}
_VALUE_LABELS = ("required", "severity", "likelihood", "limits")
_YES, _NO = ("yes", "true"), ("no", "false")
_SCOPES = ("contract", "nda")


@dataclass(frozen=True, kw_only=True)
class _Field:
    """A labelled line of a section with the lines that go on below it: `text[start:end]` is its value."""

    label: str
    start: int
    end: int


def parse_playbook(text: str, *, fields: Mapping[str, Any] | None = None, title: str = "") -> Playbook:
    """The playbook in this Markdown. `fields` are those of a front matter that the text has lost; `title` names it
    where they do not. Raises `UnfitPlaybook` with line and position."""
    if len(text) > MAX_PLAYBOOK_CHARACTERS:
        raise UnfitPlaybook(f"The playbook is longer than {MAX_PLAYBOOK_CHARACTERS:,} characters.")
    known, rules_line = _front_matter(text)
    known = {**{str(name).casefold(): value for name, value in (fields or {}).items()}, **known}
    positions = tuple(_positions(text))
    if not positions:
        raise UnfitPlaybook("The playbook has no position: each is a section with a heading of the second level.")
    return Playbook(
        name=str(known.get("name") or known.get("title") or title or "Playbook")[:200],
        version=str(known.get("version") or "1")[:40],
        scope=_scope(known.get("scope")),
        side=str(known.get("side") or "")[:60],
        positions=positions,
        escalations=_rules(known.get("escalate"), positions, line=rules_line),
        text=text,
    )


def _front_matter(text: str) -> tuple[dict[str, Any], int]:
    """Its fields by name, and the line of the rules of escalation."""
    try:
        source, _, _ = split_frontmatter(text)
        found = parse_frontmatter(source) if source else []
    except NoteMistake as mistake:
        raise UnfitPlaybook(f"Line {mistake.line or 1}: {mistake.message}") from None
    lines = [one.line for one in found if one.key == "escalate"]
    return {one.key: one.value for one in found}, lines[0] if lines else 1


def _scope(value: Any) -> PlaybookKind:
    scope = str(value or "contract").strip().casefold()
    if scope not in _SCOPES:
        raise UnfitPlaybook(f"The scope is “{value}”; it is one of {', '.join(_SCOPES)}.")
    return cast(PlaybookKind, scope)


def _rules(rows: Any, positions: Sequence[Position], *, line: int) -> tuple[EscalationRule, ...]:
    if rows in (None, "", []):
        return ()
    if not isinstance(rows, list) or len(rows) > _MAX_RULES:
        raise UnfitPlaybook(f"Line {line}: “escalate” is a list of at most {_MAX_RULES} rules.")
    names = [position.name for position in positions]
    limits = list(dict.fromkeys(limit.name for position in positions for limit in position.limits))
    found = []
    for number, row in enumerate(rows, start=1):
        try:
            found.append(parse_rule(row, positions=names, limits=limits))
        except ValueError as error:
            raise UnfitPlaybook(f"Line {line}, rule {number} of “escalate”: {error}.") from None
    return tuple(found)


# --- Positions -----------------------------------------------------------------------------------------------


def _positions(text: str) -> Iterator[Position]:
    headings = [heading for heading in find_headings(text) if heading.level <= _POSITION_LEVEL]
    ends = [*(heading.start for heading in headings[1:]), len(text)]
    pairs = zip(headings, ends[: len(headings)], strict=True)
    sections = [(heading, end) for heading, end in pairs if heading.level == _POSITION_LEVEL]
    if len(sections) > MAX_POSITIONS:
        raise UnfitPlaybook(f"The playbook has more than {MAX_POSITIONS} positions.")
    names: set[str] = set()
    for number, (heading, end) in enumerate(sections, start=1):
        name = heading.title[:200]
        if not name or name.casefold() in names:
            raise _mistake(text, heading.start, name, "another position has this name" if name else "it has no name")
        names.add(name.casefold())
        yield _position(text, number=number, name=name, start=heading.start, end=end)


def _position(text: str, *, number: int, name: str, start: int, end: int) -> Position:
    body = text.find("\n", start, end) + 1 or end
    fields = list(_fields(text, body, end, name))
    values = {field.label: field for field in fields if field.label in _VALUE_LABELS}
    statements = tuple(
        PlaybookStatement(
            kind=_STATEMENT_LABELS[field.label], text=text[field.start : field.end], start=field.start, end=field.end
        )
        for field in fields
        if field.label in _STATEMENT_LABELS
    )
    if len(statements) > _MAX_STATEMENTS:
        raise _mistake(text, start, name, f"it has more than {_MAX_STATEMENTS} statements")
    if not any(statement.kind == "preferred" for statement in statements):
        raise _mistake(text, start, name, "it does not say what is preferred")
    topic = " ".join(text[body : fields[0].start].rsplit("\n", 1)[0].split()) if fields else ""
    return Position(
        number=number,
        name=name,
        topic=topic[:_MAX_STATEMENT],
        statements=statements,
        limits=tuple(_limits(text, values.get("limits"), name)),
        is_required=_is_required(text, values.get("required"), name),
        severity=_scale(text, values.get("severity"), name, "severity", start),
        likelihood=_scale(text, values.get("likelihood"), name, "likelihood", start),
        start=start,
        end=start + len(text[start:end].rstrip()),
    )


def _fields(text: str, start: int, end: int, name: str) -> Iterator[_Field]:
    """The labelled lines between two offsets. A line without a label continues the one above, up to a blank line."""
    opened: tuple[str, int, int] | None = None
    for at, stop in _line_spans(text, start, end):
        match = _FIELD_LINE.match(text, at, stop)
        label = " ".join(match["label"].casefold().replace("-", " ").split()) if match else ""
        label = "limits" if label == "limit" else label
        is_known = label in _STATEMENT_LABELS or label in _VALUE_LABELS
        if match and match["bullet"] and not is_known:
            raise _mistake(text, at, name, f"“{match['label']}” is no field of a position")
        if opened and (is_known or not text[at:stop].strip()):
            yield _closed(text, opened, name)
            opened = None
        if match and is_known:
            opened = (label, match.end(), stop)
        elif opened:
            opened = (opened[0], opened[1], stop)
    if opened:
        yield _closed(text, opened, name)


def _closed(text: str, opened: tuple[str, int, int], name: str) -> _Field:
    label, start, end = opened
    value = text[start:end]
    start, end = start + len(value) - len(value.lstrip()), start + len(value.rstrip())
    if start >= end or end - start > _MAX_STATEMENT:
        raise _mistake(text, opened[1], name, f"“{label}” has no text, or more than {_MAX_STATEMENT} characters")
    return _Field(label=label, start=start, end=end)


def _line_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    breaks = [start, *(match.end() for match in _LINE_BREAK.finditer(text, start, end)), end]
    yield from ((at, stop) for at, stop in pairwise(breaks) if at < stop)


def _limits(text: str, field: _Field | None, name: str) -> Iterator[Limit]:
    for written in text[field.start : field.end].split(";") if field else ():
        try:
            yield parse_limit(written)
        except ValueError as error:
            raise _mistake(text, field.start if field else 0, name, str(error)) from None


def _is_required(text: str, field: _Field | None, name: str) -> bool:
    value = text[field.start : field.end].casefold() if field else "no"
    if value not in _YES + _NO:
        raise _mistake(text, field.start if field else 0, name, "“required” is yes or no")
    return value in _YES


def _scale(text: str, field: _Field | None, name: str, label: str, start: int) -> int:
    value = text[field.start : field.end] if field else ""
    if len(value) != 1 or not value.isdecimal() or not MIN_SCALE <= int(value) <= MAX_SCALE:
        at = field.start if field else start
        raise _mistake(text, at, name, f"{label} is a whole number from {MIN_SCALE} to {MAX_SCALE}")
    return int(value)


def _mistake(text: str, at: int, name: str, what: str) -> UnfitPlaybook:
    return UnfitPlaybook(f"Line {text.count(chr(10), 0, at) + 1}, position “{name}”: {what}.")
