"""What the fields of a note's front matter say: typed columns of its document, and the rest as metadata."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from knowledge import labels
from knowledge.staging import storable_json
from knowledge.sync.frontmatter import Field
from knowledge.sync.problems import Mistake

# The names that a column goes by, best first.
NAMES: dict[str, tuple[str, ...]] = {
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
EMPTY: dict[str, Any] = {
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

_YES, _NO = frozenset({"true", "yes", "on", "y", "1"}), frozenset({"false", "no", "off", "n", "0"})
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ]|$)")
_BRACKETS = re.compile(r"\[\[(?:[^\[\]|]{0,300}\|)?([^\[\]|]{0,300})\]\]")


@dataclass(frozen=True, kw_only=True)
class Said:
    """`columns` has every column of `labels.COLUMNS`, and `metadata`. A mistake in a field leaves its column empty."""

    title: str
    aliases: tuple[str, ...]
    columns: Mapping[str, Any]
    mistakes: tuple[Mistake, ...]


def read(fields: Iterable[Field]) -> Said:
    """With any mistake in it a note is not public: nobody knows then what its author wanted."""
    left = {field.key: field for field in fields}
    values: dict[str, Any] = {}
    mistakes: list[Mistake] = []
    for column, names in NAMES.items():
        if field := next((left.pop(name) for name in names if name in left), None):
            try:
                values[column] = _value(column, field)
            except Mistake as mistake:
                mistakes.append(mistake)
    is_private = values.pop("is_private", False) or PRIVATE_TAG in map(str.casefold, values.get("tags", ()))
    # A second name for the same thing counts as well, so that neither can be overlooked.
    is_denied = any(_denies(field) for key, field in left.items() if key in NAMES["is_public"])
    is_public = values.get("is_public", False) and not (is_private or is_denied or mistakes)
    title, aliases = values.pop("title", ""), tuple(values.pop("aliases", ()))
    rest = {field.name: field.value for field in left.values()} | ({"aliases": list(aliases)} if aliases else {})
    columns = {**EMPTY, **values, "is_public": is_public, "metadata": storable_json(rest)}
    return Said(title=title, aliases=aliases, columns=columns, mistakes=tuple(mistakes))


def _denies(field: Field) -> bool:
    return not field.texts or field.texts[0].strip().casefold() not in _YES


def _value(column: str, field: Field) -> Any:
    if isinstance(field.value, dict):
        raise Mistake(f"“{field.name}” has fields of its own; one value is expected.", line=field.line)
    if not field.texts:
        return EMPTY.get(column, False if column.startswith("is_") else [] if column == "aliases" else "")
    value = _READERS.get(column, _words)(field)
    if column not in labels.COLUMNS:
        return value
    try:
        return labels.split({column: value})[column]
    except labels.InvalidMetadata as error:
        raise Mistake(error.message, line=field.line) from None


def _words(field: Field) -> str:
    return " ".join(", ".join(map(_without_brackets, field.texts)).split())


def _list(field: Field) -> list[str]:
    texts = [part for text in field.texts for part in _parts(text)]
    named = (" ".join(_without_brackets(text).split()).removeprefix("#") for text in texts)
    return list(dict.fromkeys(name for name in named if name))


def _parts(text: str) -> list[str]:
    """`a, b` and `#a #b` are two each; `two words` is one."""
    words = text.split()
    return words if words and all(word.startswith("#") for word in words) else text.split(",")


def _names(field: Field) -> list[str]:
    return [name for text in field.texts if (name := " ".join(text.split())[:300])]


def _day(field: Field) -> date:
    """The day as it is written: where its author was, not in UTC."""
    text = _without_brackets(field.texts[0]).strip()
    try:
        if not _DAY.match(text):
            raise ValueError
        return date.fromisoformat(text[:10])
    except ValueError:
        message = f"“{field.name}” is no date: write it as 2026-03-31."
        raise Mistake(message, line=field.line) from None


def _is_so(field: Field) -> bool:
    text = field.texts[0].strip().casefold()
    if len(field.texts) > 1 or text not in _YES | _NO:
        raise Mistake(f"“{field.name}” is neither true nor false.", line=field.line)
    return text in _YES


def _without_brackets(text: str) -> str:
    return _BRACKETS.sub(r"\1", text)


_READERS: dict[str, Callable[[Field], Any]] = {
    "tags": _list,
    "aliases": _names,
    **dict.fromkeys(("doc_date", "effective_from", "superseded_on"), _day),
    **dict.fromkeys(("is_public", "is_private", "is_template"), _is_so),
}
