"""Metadata of documents: labels that filters understand have columns, all others are stored as JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from django.core.exceptions import ValidationError

from knowledge.models import Document
from knowledge.readers.text_cleaning import replace_unstorable_json
from lexic.errors import InvalidInput

# Between words of a file name: “hive_inspection-v2”; a hyphen between figures is part of a number or a date.
_SEPARATORS = re.compile(r"_+|(?<!\d)-+|-+(?!\d)|\+")
# In a name that has spaces, hyphens belong to its words (“Well-being at work”), and underscores stand for spaces.
_UNDERSCORES = re.compile(r"_+")
_LEFTOVER = re.compile(
    r"(?:\s+|^)(?:\(\d\)|-\s*copy|\(copy\)|(?:-\s+)?final)$|(?<=\d)-final$|^copy of\s+", re.IGNORECASE
)
METADATA_COLUMNS = (
    "doc_type",
    "doc_date",
    "tags",
    "project",
    "doc_status",
    "is_public",
    "is_template",
    "effective_from",
    "superseded_on",
)
# What a file may say about itself. Whether it is public, or a template, is for people to say.
FILE_METADATA_COLUMNS = tuple(name for name in METADATA_COLUMNS if not name.startswith("is_"))


class InvalidMetadata(InvalidInput):
    """The metadata does not fit."""

    code = "invalid_metadata"


def title_from_file_name(file_name: str) -> str:
    """A title for a document without one: the words of its file name, without folders and extension. Words that only
    mark a copy or the last version are left out; numbers and years stay."""
    stem = _plain_title(file_name)
    separators = _UNDERSCORES if " " in stem else _SEPARATORS
    words = " ".join(separators.sub(" ", stem).split())
    while (shorter := _LEFTOVER.sub("", words).strip()) and shorter != words:
        words = shorter
    if words != stem and words[:1].islower() and words.split()[0].isalpha():
        words = words[0].upper() + words[1:]
    return words[:300]


def is_title_of_file(title: str, file_name: str) -> bool:
    """Whether the title was made of the file name, so that no person has named the document."""
    return title in (title_from_file_name(file_name), _plain_title(file_name))


def _plain_title(file_name: str) -> str:
    name = PurePosixPath(file_name.replace("\\", "/")).name
    return (PurePosixPath(name).stem or name)[:300]


def split_metadata(metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    """Column values of a document: one for each known label, and `metadata` with all others.

    Raises `InvalidMetadata`, naming the label whose value does not fit its column.
    """
    labels: dict[str, Any] = replace_unstorable_json(dict(metadata or {}))
    labels.pop("file", None)  # what files say about themselves is written by the reading alone
    columns = {name: _clean_value(name, labels.pop(name)) for name in METADATA_COLUMNS if name in labels}
    return {**columns, "metadata": labels}


def merge_file_metadata(document: Document, file_metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Column values from what a file says about itself, kept whole under `metadata["file"]`.

    A label gets its column unless a person filled that in differently. One that the file said before, and says no more
    or with a value that does not fit, is emptied.
    """
    before = document.metadata.get("file", {})
    columns = {name: _file_value(name, file_metadata) for name in FILE_METADATA_COLUMNS}
    fresh = {
        name: value
        for name, value in columns.items()
        if getattr(document, name) in (None, "", [], _file_value(name, before)) and value != getattr(document, name)
    }
    return {**fresh, "metadata": {**document.metadata, "file": dict(file_metadata)}}


def _file_value(name: str, file_metadata: Mapping[str, Any]) -> Any:
    """What the file says for this column; the empty value where it says nothing that fits."""
    value = _clean_or_none(name, file_metadata.get(name))
    field: Any = Document._meta.get_field(name)
    return field.get_default() if value is None else value


def _clean_or_none(name: str, value: Any) -> Any:
    try:
        return None if value is None else _clean_value(name, value)
    except InvalidMetadata:
        return None


def _clean_value(name: str, value: Any) -> Any:
    if name == "tags" and isinstance(value, str):
        value = [tag.strip() for tag in value.split(",") if tag.strip()]
    try:
        field: Any = Document._meta.get_field(name)
        return field.clean(value, None)
    except ValidationError as error:
        raise InvalidMetadata(f"The metadata “{name}” does not fit: {' '.join(error.messages)}") from None
