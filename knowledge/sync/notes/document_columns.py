"""Turns the front matter of a note into typed columns of its document; other fields become metadata."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from knowledge.documents import metadata_columns
from knowledge.readers.text_cleaning import replace_unstorable_json
from knowledge.sync.notes.frontmatter import FrontMatterField
from knowledge.sync.notes.note_problems import NoteMistake

# The names that a column goes by, best first.
FIELD_NAMES: dict[str, tuple[str, ...]] = {
    "title": ("title",),
    "doc_type": ("doc_type", "type", "doctype", "kind"),
    "doc_date": ("doc_date", "date", "created"),
    "tags": ("tags", "tag"),
    "project": ("project",),
    "doc_status": ("doc_status", "status"),
    "is_public": ("public", "is_public", "publish"),
    "is_private": ("private", "is_private"),
    "is_template": ("template", "is_template"),
    "effective_from": ("effective_from", "effective", "valid_from"),
    "superseded_on": ("superseded_on", "superseded"),
    "aliases": ("aliases", "alias"),
}
EMPTY_COLUMNS: dict[str, Any] = {
    "doc_type": "",
    "doc_date": None,
    "tags": [],
    "project": "",
    "doc_status": "",
    "is_public": False,
    "is_template": False,
    "effective_from": None,
    "superseded_on": None,
}
PRIVATE_TAG = "private"

_TRUE_WORDS, _FALSE_WORDS = frozenset({"true", "yes", "on", "y", "1"}), frozenset({"false", "no", "off", "n", "0"})
_ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ]|$)")
_WIKILINK_BRACKETS = re.compile(r"\[\[(?:[^\[\]|]{0,300}\|)?([^\[\]|]{0,300})\]\]")


@dataclass(frozen=True, kw_only=True)
class NoteFields:
    """`columns` has every column of `METADATA_COLUMNS`, and `metadata`. After a mistake a column is empty."""

    title: str
    aliases: tuple[str, ...]
    columns: Mapping[str, Any]
    mistakes: tuple[NoteMistake, ...]


def parse_fields(fields: Iterable[FrontMatterField]) -> NoteFields:
    """The columns of a note from its fields. A note with a mistake is not public: its author may have wanted that."""
    left = {field.key: field for field in fields}
    values: dict[str, Any] = {}
    mistakes: list[NoteMistake] = []
    for column, names in FIELD_NAMES.items():
        if field := next((left.pop(name) for name in names if name in left), None):
            try:
                values[column] = _parse_column(column, field)
            except NoteMistake as mistake:
                mistakes.append(mistake)
    is_private = values.pop("is_private", False) or PRIVATE_TAG in map(str.casefold, values.get("tags", ()))
    # A second name for the same thing counts as well, so that neither can be overlooked.
    others = [field for key, field in left.items() if key in FIELD_NAMES["is_public"]]
    is_denied = any("".join(field.texts[:1]).strip().casefold() not in _TRUE_WORDS for field in others)
    is_public = values.get("is_public", False) and not (is_private or is_denied or mistakes)
    title, aliases = values.pop("title", ""), tuple(values.pop("aliases", ()))
    rest = {field.name: field.value for field in left.values()} | ({"aliases": list(aliases)} if aliases else {})
    columns = {**EMPTY_COLUMNS, **values, "is_public": is_public, "metadata": replace_unstorable_json(rest)}
    return NoteFields(title=title, aliases=aliases, columns=columns, mistakes=tuple(mistakes))


def _parse_column(column: str, field: FrontMatterField) -> Any:
    if isinstance(field.value, dict):
        raise NoteMistake(f"“{field.name}” has fields of its own; one value is expected.", line=field.line)
    if not field.texts:
        return EMPTY_COLUMNS.get(column, False if column.startswith("is_") else [] if column == "aliases" else "")
    value = _FIELD_PARSERS.get(column, _parse_string)(field)
    if column not in metadata_columns.METADATA_COLUMNS:
        return value
    try:
        return metadata_columns.split_metadata({column: value})[column]
    except metadata_columns.InvalidMetadata as error:
        raise NoteMistake(error.message, line=field.line) from None


def _parse_string(field: FrontMatterField) -> str:
    return " ".join(", ".join(map(_strip_brackets, field.texts)).split())


def _parse_tags(field: FrontMatterField) -> list[str]:
    texts = [part for text in field.texts for part in _split_tags(text)]
    named = (" ".join(_strip_brackets(text).split()).removeprefix("#") for text in texts)
    return list(dict.fromkeys(name for name in named if name))


def _split_tags(text: str) -> list[str]:
    """`a, b` and `#a #b` are two each; `two words` is one."""
    words = text.split()
    return words if words and all(word.startswith("#") for word in words) else text.split(",")


def _parse_aliases(field: FrontMatterField) -> list[str]:
    return [name for text in field.texts if (name := " ".join(text.split())[:300])]


def _parse_date(field: FrontMatterField) -> date:
    """The day as it is written: where its author was, not in UTC."""
    text = _strip_brackets(field.texts[0]).strip()
    try:
        if not _ISO_DATE.match(text):
            raise ValueError
        return date.fromisoformat(text[:10])
    except ValueError:
        message = f"“{field.name}” is no date: write it as 2026-03-31."
        raise NoteMistake(message, line=field.line) from None


def _parse_bool(field: FrontMatterField) -> bool:
    text = field.texts[0].strip().casefold()
    if len(field.texts) > 1 or text not in _TRUE_WORDS | _FALSE_WORDS:
        raise NoteMistake(f"“{field.name}” is neither true nor false.", line=field.line)
    return text in _TRUE_WORDS


def _strip_brackets(text: str) -> str:
    return _WIKILINK_BRACKETS.sub(r"\1", text)


_FIELD_PARSERS: dict[str, Callable[[FrontMatterField], Any]] = {
    "tags": _parse_tags,
    "aliases": _parse_aliases,
    **dict.fromkeys(("doc_date", "effective_from", "superseded_on"), _parse_date),
    **dict.fromkeys(("is_public", "is_private", "is_template"), _parse_bool),
}
