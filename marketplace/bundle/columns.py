"""The columns that a bundle contains, and the check of each value that comes from a stranger's file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import models

from evaluation.models import GoldenQuestion
from knowledge.documents.metadata_columns import METADATA_COLUMNS as LABELS
from knowledge.models import Document, KnowledgeBase
from lexic.errors import InvalidInput
from plugins.models import Plugin
from trees.models import DecisionTree, TreeCase


class BadBundle(InvalidInput):
    """This file is not a plugin that can be imported."""

    code = "bad_bundle"
    hint = "Nothing was imported. Export the plugin again, and import that file as it is."


# What says when and by whom a row was made stays behind, and so does every pointer to another row.
_NOT_EXPORTED = {"created_at", "updated_at"}


def exported_columns(model: type[models.Model]) -> list[str]:
    """Every column of the model that is neither an id, nor a pointer, nor a date of the row."""
    fields = model._meta.concrete_fields
    return [
        field.name for field in fields if not (field.primary_key or field.is_relation or field.name in _NOT_EXPORTED)
    ]


# Every column of a plugin is in one of these four groups. Whoever adds one decides in which.
# What belongs to a release: its name and kind, how it answers, how its documents are cut, what it is measured by.
RELEASE_COLUMNS = [
    *("kind", "name", "slug", "tagline", "description", "domain", "tags"),
    *("chunk_strategy", "chunk_size", "golden_gate", "golden_share"),
    *Plugin.policy_fields(),
]
# The file of a draft, which its own people alone export, has this as well.
PLUGIN_COLUMNS = [*RELEASE_COLUMNS, "config"]
# A legal hold, and the limits that a new owner sets anew. Files of earlier versions have them; they are ignored.
UNSHARED_COLUMNS = [
    *("legal_hold", "keep_questions_days", "keep_chats_days", "keep_files_days"),
    *("spending_cap", "embed_origins"),
]
# Whether it is published, and who may use it, is decided anew where it is imported. No file names them.
DECIDED_ON_IMPORT = [
    *("is_published", "is_held", "is_shared", "shares_golden", "public_chat"),
    *("version", "visibility", "page_token", "next_notes"),
]
TREE_COLUMNS = exported_columns(DecisionTree)
CASE_COLUMNS = exported_columns(TreeCase)
GOLDEN_COLUMNS = exported_columns(GoldenQuestion)
DOCUMENT_COLUMNS = ["title", "is_named", "file_name", "url", "language", *LABELS, "metadata"]
KNOWLEDGE_BASE_COLUMNS = ["embedder", "language"]

EXPORTED_COLUMNS: dict[type[models.Model], list[str]] = {
    Plugin: PLUGIN_COLUMNS,
    DecisionTree: TREE_COLUMNS,
    TreeCase: CASE_COLUMNS,
    GoldenQuestion: GOLDEN_COLUMNS,
    Document: DOCUMENT_COLUMNS,
    KnowledgeBase: KNOWLEDGE_BASE_COLUMNS,
}


def column_values(row: models.Model, names: Iterable[str] | None = None) -> dict[str, Any]:
    """What travels of a row, or the columns of these names."""
    return {name: getattr(row, name) for name in names or EXPORTED_COLUMNS[type(row)]}


def validated_columns(model: type[models.Model], data: Any, *, where: str) -> dict[str, Any]:
    """The columns of a row from the manifest; those it does not name keep their defaults. Raises `BadBundle`."""
    if not isinstance(data, dict):
        raise BadBundle(f"{where} of manifest.json is not an object.")
    if unknown := sorted(data.keys() - set(EXPORTED_COLUMNS[model])):
        raise BadBundle(f"{where} of manifest.json has the unknown name {unknown[0][:60]!r}.")
    return {name: _validated_value(model._meta.get_field(name), value, where=where) for name, value in data.items()}


def _validated_value(field: Any, value: Any, *, where: str) -> Any:
    place = f"{where}.{field.name} of manifest.json"
    if value is None and field.null:
        return None
    if not _has_json_type(field, value) or (field.name in _JSON_VALIDATORS and not _JSON_VALIDATORS[field.name](value)):
        raise BadBundle(f"{place} is not what it should be.")
    if field.name == "config" and len(json.dumps(value)) > Plugin.MAX_CONFIG_LENGTH:
        raise BadBundle(
            f"{place} is longer than {Plugin.MAX_CONFIG_LENGTH:,} characters of JSON.",
            hint="Nothing was imported. Shorten it in the plugin that was exported, and export that again.",
        )
    if value in ("", [], {}) and not field.choices:
        return value  # a draft may lack what a form would ask for
    try:
        return field.clean(value, None)
    except ValidationError as error:
        raise BadBundle(f"{place}: {error.messages[0]}") from None
    except OverflowError:  # JSON has integers that no float can hold
        raise BadBundle(f"{place} is too large a number.") from None


def _has_json_type(field: Any, value: Any) -> bool:
    """Whether JSON has the type that the column wants: a column's own conversion would take "1" for a number."""
    if isinstance(field, models.JSONField):
        return True
    if isinstance(field, ArrayField):
        return isinstance(value, list) and all(_has_json_type(field.base_field, item) for item in value)
    if isinstance(field, models.BooleanField):
        return isinstance(value, bool)
    if isinstance(field, models.FloatField | models.IntegerField):
        wanted = (int, float) if isinstance(field, models.FloatField) else (int,)
        return isinstance(value, wanted) and not isinstance(value, bool)
    return isinstance(value, str)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _are_page_references(value: Any) -> bool:
    """`[document title, page]` pairs; the page may be null."""
    return isinstance(value, list) and all(
        isinstance(pair, list)
        and len(pair) == 2
        and isinstance(pair[0], str)
        and (pair[1] is None or (isinstance(pair[1], int) and not isinstance(pair[1], bool)))
        for pair in value
    )


# JSON columns hold anything; what is read as something in particular has to be that.
_JSON_VALIDATORS: Mapping[str, Callable[[Any], bool]] = {
    "tree_data": _is_object,
    "config": _is_object,
    "facts": _is_object,
    "metadata": _is_object,
    "calibration": _is_object,
    "must_cite": _are_page_references,
}


def require_columns(said: Mapping[str, Any], *names: str, where: str) -> None:
    """Raises `BadBundle` for the first of these that is missing or empty."""
    for name in names:
        if not said.get(name):
            raise BadBundle(f"{where} of manifest.json has no {name}.")


def validated_list(data: Any, *, where: str, most: int) -> Sequence[Any]:
    """A list of at most so many. Raises `BadBundle`."""
    if not isinstance(data, list) or len(data) > most:
        raise BadBundle(f"{where} of manifest.json is not a list of at most {most}.")
    return data
