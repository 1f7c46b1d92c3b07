"""Signals that one agent leaves for the next: who, when, how urgent, and what is unfinished."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from lexibrarian.artefacts.markdown import read_front_matter, split_front_matter, yaml_text
from lexibrarian.safe_text import in_utf_8

SCOPES = ("warning", "incomplete", "blocked")


@dataclass(frozen=True)
class Signal:
    """A signal as it was read; `created` is ISO 8601 in UTC. A damaged one keeps its text and is a warning."""

    author: str
    created: str
    scope: str
    text: str


def read_signal(text: str) -> Signal:
    """Read a signal, however much of it somebody left out."""
    fields = read_front_matter(text) or {}
    created = fields.get("created")
    stamp = created.isoformat().replace("+00:00", "Z") if isinstance(created, (datetime, date)) else str(created or "")
    scope = str(fields.get("scope") or "warning")
    body = split_front_matter(text)[1] if fields else text
    return Signal(str(fields.get("author") or "unknown"), stamp, scope if scope in SCOPES else "warning", body.strip())


def new_signal(author: str, created: str, scope: str, text: str) -> str:
    """The text of a signal; `created` is ISO 8601 in UTC."""
    return f"---\nauthor: {yaml_text(author)}\ncreated: {created}\nscope: {scope}\n---\n\n{in_utf_8(text.strip())}\n"
