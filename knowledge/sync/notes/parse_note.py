"""Parses one note: its front matter, and the text that may be stored."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import PurePosixPath
from typing import Any

from knowledge.models import Document
from knowledge.readers.markdown import find_headings
from knowledge.readers.text_cleaning import clean_text, one_line
from knowledge.sync.notes import document_columns, frontmatter, private_sections
from knowledge.sync.notes.links import strip_note_ending
from knowledge.sync.notes.note_problems import NoteMistake, NoteProblem
from lexic.column_length import column_length

MAX_NOTE_BYTES = 1024 * 1024  # bytes; its headings are found in this very process, so it has to be small
MAX_TITLE_LENGTH = column_length(Document, "title")


@dataclass(frozen=True, kw_only=True)
class Note:
    """`body` is Markdown without front matter and private parts, its links as they are; None when it cannot be read."""

    path: str
    sha256: str
    title: str = ""
    body: str | None = None
    aliases: tuple[str, ...] = ()
    columns: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[NoteProblem, ...] = ()


def parse_note(path: str, data: bytes) -> Note:
    """Never raises: what is wrong with the note is among its problems, and then it is not public."""
    digest = sha256_hex(data)
    try:
        return _parse_note_data(path, data, digest)
    except NoteMistake as mistake:
        return unreadable_note(path, mistake, digest=digest)


def unreadable_note(path: str, mistake: NoteMistake, *, digest: str = "") -> Note:
    return Note(path=path, sha256=digest, problems=(mistake.at(path),))


def is_public_note(columns: Mapping[str, Any], *, today: date) -> bool:
    """Whether anybody may know of a note with these columns."""
    superseded = columns.get("superseded_on")
    return (
        bool(columns.get("is_public")) and not columns.get("is_template") and not (superseded and superseded <= today)
    )


def sha256_hex(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _parse_note_data(path: str, data: bytes, digest: str) -> Note:
    source, rest, lines_before = frontmatter.split_frontmatter(_decode_note(data))
    fields = document_columns.parse_fields(frontmatter.parse_frontmatter(source))
    body, mistakes = private_sections.remove_private(rest)
    shifted = [NoteMistake(one.message, line=one.line and one.line + lines_before) for one in mistakes]
    problems = tuple(mistake.at(path) for mistake in (*fields.mistakes, *shifted))
    return Note(
        path=path,
        sha256=digest,
        title=_resolve_note_title(fields.title, body, path),
        body=body.strip("\n"),
        aliases=fields.aliases,
        columns=fields.columns if not problems else {**fields.columns, "is_public": False},
        problems=problems,
    )


def _decode_note(data: bytes) -> str:
    if len(data) > MAX_NOTE_BYTES:
        raise NoteMistake("The note is larger than 1 MB.")
    try:
        return clean_text(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise NoteMistake("The note is not written in UTF-8.", line=data.count(b"\n", 0, error.start) + 1) from None


def _resolve_note_title(title: str, body: str, path: str) -> str:
    """The title field, else the first heading of level one, else the name of the file: as reading the file would."""
    headings = () if title else find_headings(body)
    first = next((heading.title for heading in headings if heading.level == 1 and heading.title), "")
    name = one_line(clean_text(strip_note_ending(PurePosixPath(path).name)))
    return (title or first or name or "note")[:MAX_TITLE_LENGTH]
