"""One file of notes, read: what it says about itself, and the text that may be stored."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import PurePosixPath
from typing import Any

from knowledge.readers.cleaning import one_line, storable
from knowledge.readers.markdown import find_headings
from knowledge.sync import columns, frontmatter, private
from knowledge.sync.links import without_ending
from knowledge.sync.problems import Mistake, Problem

LARGEST = 1024 * 1024  # bytes; its headings are found in this very process, so it has to be small
TITLE_LENGTH = 300


@dataclass(frozen=True, kw_only=True)
class Note:
    """`body` is Markdown without front matter and private parts, its links as they are; None when it cannot be read."""

    path: str
    sha256: str
    title: str = ""
    body: str | None = None
    aliases: tuple[str, ...] = ()
    columns: Mapping[str, Any] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


def read(path: str, data: bytes) -> Note:
    """Never raises: what is wrong with the note is among its problems, and then it is not public."""
    digest = sha256(data)
    try:
        return _read(path, data, digest)
    except Mistake as mistake:
        return unreadable(path, mistake, digest=digest)


def unreadable(path: str, mistake: Mistake, *, digest: str = "") -> Note:
    return Note(path=path, sha256=digest, problems=(mistake.at(path),))


def is_open(said: Mapping[str, Any], *, today: date) -> bool:
    """Whether anybody may know of a note with these columns."""
    superseded = said.get("superseded_on")
    return bool(said.get("is_public")) and not said.get("is_template") and not (superseded and superseded <= today)


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _read(path: str, data: bytes, digest: str) -> Note:
    source, rest, lines_before = frontmatter.split(_decoded(data))
    said = columns.read(frontmatter.fields(source))
    body, slips = private.without_private(rest)
    problems = _problems(path, [*said.mistakes, *(_moved(slip, by=lines_before) for slip in slips)])
    return Note(
        path=path,
        sha256=digest,
        title=_title(said.title, body, path),
        body=body.strip("\n"),
        aliases=said.aliases,
        columns=said.columns if not problems else {**said.columns, "is_public": False},
        problems=problems,
    )


def _decoded(data: bytes) -> str:
    if len(data) > LARGEST:
        raise Mistake("The note is larger than 1 MB.")
    try:
        return storable(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise Mistake("The note is not written in UTF-8.", line=data.count(b"\n", 0, error.start) + 1) from None


def _moved(slip: Mistake, *, by: int) -> Mistake:
    return Mistake(slip.message, line=slip.line and slip.line + by)


def _problems(path: str, mistakes: Iterable[Mistake]) -> tuple[Problem, ...]:
    return tuple(mistake.at(path) for mistake in mistakes)


def _title(said: str, body: str, path: str) -> str:
    """What the note calls itself, its first great heading, else its file's name: as reading it by itself would."""
    headings = () if said else find_headings(body)
    first = next((heading.title for heading in headings if heading.level == 1 and heading.title), "")
    name = one_line(storable(without_ending(PurePosixPath(path).name)))
    return (said or first or name or "note")[:TITLE_LENGTH]
