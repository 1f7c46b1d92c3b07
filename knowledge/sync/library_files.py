"""Parses the files of a library: a design file, a directory index, a concept, a post, or a source that a footer names.

The text is kept whole, so that its lines are those of the file. Some spans of it are not searched: the front matter
except the description, the footer, and the names that are already in the title.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from knowledge.models import Document, SourceType
from knowledge.readers.text import decode_bytes
from knowledge.readers.text_cleaning import clean_text
from knowledge.sync.library_layout import (
    CONCEPT,
    DESIGN,
    DIRECTORY,
    INDEX_NAME,
    POST,
    SOURCE,
    is_safe_source,
    item_places,
    sections,
)
from knowledge.sync.notes.document_columns import EMPTY_COLUMNS, parse_fields
from knowledge.sync.notes.frontmatter import FrontMatterField, parse_frontmatter, split_frontmatter
from knowledge.sync.notes.note_problems import NoteMistake
from knowledge.sync.notes.parse_note import MAX_NOTE_BYTES
from lexic.column_length import column_length

_FOLDERS = {"concepts": CONCEPT, "stack": POST}
_MAX_TITLE_LENGTH, _MAX_TAG_LENGTH = column_length(Document, "title"), column_length(Document, "tags")
# Tables and generated lists are no text to answer from, but a short one may be a setting.
_DATA_ENDINGS = (".json", ".jsonl", ".ndjson", ".lock", ".csv", ".tsv", ".svg", ".xml", ".map", ".ipynb")
_MAX_DATA_CHARACTERS = 16_000

_FOOTER = "<!-- lexibrarian:meta"
_FOOTER_PAIR = re.compile(r'(\w{1,40})="([^"\n]{0,2000})"')
_FOOTER_LINE = re.compile(r"^(\w{1,40}):[ \t]*([^\n]{0,2000})$", re.MULTILINE)
_SHA256 = re.compile(r"[0-9a-f]{64}")
_FIRST_TITLE = re.compile(r"^# [^\n]*", re.MULTILINE)
# The sections of a design file that only name other files: the metadata has those.
_LISTING_SECTIONS = frozenset({"Dependencies", "Dependents", "Tests"})


@dataclass(frozen=True, kw_only=True)
class LibraryFile:
    """`searched` are spans of the text; None: all of it. `source` is the file that a design file is about, and
    `source_hash` its SHA-256 when that was written, empty where the file does not say."""

    doc_type: str
    title: str
    text: str
    columns: Mapping[str, Any] = field(default_factory=dict)
    searched: tuple[tuple[int, int], ...] | None = None
    source: str = ""
    source_hash: str = ""
    mistakes: tuple[NoteMistake, ...] = ()

    @property
    def source_type(self) -> SourceType:
        return SourceType.CODE if self.doc_type == SOURCE else SourceType.MARKDOWN


def decode_file(data: bytes) -> str:
    """The text of a file, line for line. Raises `NoteMistake` where it is too large or no text."""
    if len(data) > MAX_NOTE_BYTES:
        raise NoteMistake("The file is larger than 1 MB.")
    if b"\0" in data and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise NoteMistake("The file is no text.")
    return clean_text(decode_bytes(data))


def parse_source(path: str, text: str) -> LibraryFile:
    """A source that a footer names. Raises `NoteMistake` for a large file of data."""
    if len(text) > _MAX_DATA_CHARACTERS and path.lower().endswith(_DATA_ENDINGS):
        raise NoteMistake("The file holds data, and is larger than 16 KB.")
    columns = {**EMPTY_COLUMNS, "doc_type": SOURCE, "metadata": {"source": path}}
    return LibraryFile(doc_type=SOURCE, title=path[-_MAX_TITLE_LENGTH:], text=text, columns=columns)


def parse_library_file(path: str, text: str) -> LibraryFile:
    """A file at this path within the library's folder. Raises `NoteMistake` where its front matter cannot be read."""
    footer_at, meta = _split_footer(text)
    front, _, lines_before = split_frontmatter(text)
    fields = parse_frontmatter(front)
    parsed = parse_fields(fields)
    doc_type = _doc_type(path, meta)
    body_at = _line_start(text, lines_before)
    body = text[body_at:footer_at]
    source = meta.get("source", "").strip() or path.removesuffix(".md") if doc_type == DESIGN else ""
    metadata = {**parsed.columns["metadata"], **(_design_metadata(source, body) if doc_type == DESIGN else {})}
    tags = [*parsed.columns["tags"], *(_items(body, "Tags") if doc_type == DESIGN else ())]
    return LibraryFile(
        doc_type=doc_type,
        title=_file_title(path, doc_type, source, parsed.title or _first_title(body))[:_MAX_TITLE_LENGTH],
        text=text,
        columns={
            **parsed.columns,
            "doc_type": doc_type,
            "tags": list(dict.fromkeys(tag[:_MAX_TAG_LENGTH] for tag in tags)),
            "metadata": metadata,
            "is_public": False,
        },
        searched=tuple(_searched_spans(text, fields, doc_type, body_at=body_at, footer_at=footer_at)),
        source=source,
        source_hash=_known_hash(meta.get("source_hash", "")),
        mistakes=parsed.mistakes,
    )


def source_sha256(data: bytes) -> str:
    """The hash that a footer has of a source: CRLF counts as LF, so that a checkout on Windows is not stale."""
    return hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()


def _doc_type(path: str, meta: Mapping[str, str]) -> str:
    if PurePosixPath(path).name == INDEX_NAME:
        return DIRECTORY
    folder = PurePosixPath(path).parts[0]
    # A source in a folder called "stack" has a design file in there.
    return DESIGN if meta.get("source") or folder not in _FOLDERS else _FOLDERS[folder]


def _file_title(path: str, doc_type: str, source: str, named: str) -> str:
    if doc_type == DESIGN:
        return f"Design of {source}"
    if doc_type == DIRECTORY:
        return str(PurePosixPath(path).parent) + "/"
    return named or PurePosixPath(path).stem


def _first_title(body: str) -> str:
    found = _FIRST_TITLE.search(body)
    return " ".join(found[0].removeprefix("# ").split()) if found else ""


def _split_footer(text: str) -> tuple[int, dict[str, str]]:
    """Where the footer begins, the end of the text without one; and its fields, in either shape."""
    at = text.rfind(_FOOTER)
    end = text.find("-->", at) if at >= 0 else -1
    if end < 0:
        return len(text), {}
    inner = text[at + len(_FOOTER) : end]
    pairs = _FOOTER_PAIR.findall(inner) or _FOOTER_LINE.findall(inner)
    return at, {name: value.strip().strip('"') for name, value in pairs}


def _known_hash(value: str) -> str:
    """Empty for a placeholder, such as a hash that somebody has written by hand."""
    return value if _SHA256.fullmatch(value) and len(set(value)) > 1 else ""


def _design_metadata(source: str, body: str) -> dict[str, Any]:
    return {"source": source, "dependencies": [path for path in _items(body, "Dependencies") if is_safe_source(path)]}


def _items(body: str, section: str) -> list[str]:
    return [item for item, _ in item_places(body, section)]


def _line_start(text: str, line: int) -> int:
    """Where the line with this number begins, counted from 0."""
    at = 0
    for _ in range(line):
        at = text.find("\n", at) + 1 or len(text)
    return at


def _searched_spans(
    text: str, fields: list[FrontMatterField], doc_type: str, *, body_at: int, footer_at: int
) -> Iterator[tuple[int, int]]:
    for one in fields:
        if one.key == "description" and one.texts:
            yield from _value_span(text, one)
    title = _FIRST_TITLE.match(text, _skip_space(text, body_at))
    at = title.end() if title else body_at
    for name, start, end in sections(text[:footer_at]):
        if start >= at and doc_type == DESIGN and name in _LISTING_SECTIONS:
            yield at, start
            at = end
    yield at, footer_at


def _skip_space(text: str, at: int) -> int:
    return at + len(text[at:]) - len(text[at:].lstrip())


def _value_span(text: str, one: FrontMatterField) -> Iterator[tuple[int, int]]:
    """Where the value of a field stands, where that is on one line, word for word."""
    start = _line_start(text, one.line - 1)
    at = text.find(one.texts[0], start, _line_start(text, one.line))
    if at >= 0 and one.texts[0].strip():
        yield at, at + len(one.texts[0])
