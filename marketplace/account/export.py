"""Everything of a person's as one zip: what this site knows of them, and what they made here."""

from __future__ import annotations

import json
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from typing import IO, Any

from django.apps import apps
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Model, Q, QuerySet

from accounts import avatars
from accounts.models import User
from lexic.errors import LexicError
from marketplace.account.decisions import DECISIONS, Decision
from marketplace.bundle.write import export_plugin
from plugins.models import Plugin

# The newest rows of each kind, and the bytes of all plugins together.
MOST_ROWS = 200_000
MOST_BYTES = 2 * 1024**3
_AT_ONCE = 500
_PROFILE = ("id", "email", "display_name", "created_at", "last_login", "is_staff")


def export_person(user: User) -> IO[bytes]:
    """The zip, open at its beginning; the caller closes it, and then it is gone.

    Lists are lines of JSON, newest first; plugins are files that can be imported again. What does not fit, or cannot
    be read any more, is named in `left_out.json`. No secret is in it.
    """
    target = tempfile.TemporaryFile()  # noqa: SIM115  # the caller reads and closes it
    left_out: list[dict[str, str]] = []
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        _write_json(archive, "profile.json", {name: getattr(user, name) for name in _PROFILE})
        for label, decision in DECISIONS.items():
            if decision.file:
                _write_rows(archive, f"{decision.file}.jsonl", rows_of(user, label), decision)
        if user.avatar and (picture := avatars.path_of(user.avatar)).exists():
            archive.write(picture, "picture.webp")
        for plugin in Plugin.objects.filter(owner=user).order_by("slug"):
            left_out += _write_plugin(archive, plugin)
        _write_json(archive, "left_out.json", left_out)
    target.seek(0)
    return target


def rows_of(user: User, label: str) -> QuerySet[Model]:
    """The rows that name this person in the field `app.Model.field`, the newest first."""
    model_label, _, field = label.rpartition(".")
    named = Q(**{field: user})
    for lookup in DECISIONS[label].also_by:
        named |= Q(**{lookup: user})
    model = apps.get_model(model_label)
    newest = "-created_at" if "created_at" in {column.name for column in model._meta.concrete_fields} else "-pk"
    return model._base_manager.filter(named).order_by(newest)


def _write_rows(archive: zipfile.ZipFile, name: str, rows: QuerySet[Model], decision: Decision) -> None:
    with archive.open(name, "w") as member:
        for line in _lines(rows, decision.columns):
            member.write(line)


def _lines(rows: QuerySet[Model], columns: tuple[str, ...]) -> Iterator[bytes]:
    for row in rows.values(*columns)[:MOST_ROWS].iterator(chunk_size=_AT_ONCE):
        yield _json(row) + b"\n"


def _write_json(archive: zipfile.ZipFile, name: str, value: Any) -> None:
    archive.writestr(name, _json(value))


def _json(value: Any) -> bytes:
    return json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False).encode()


def _write_plugin(archive: zipfile.ZipFile, plugin: Plugin) -> list[dict[str, str]]:
    """Nothing, or what was left out and why."""
    try:
        with export_plugin(plugin) as bundle:
            size = bundle.seek(0, 2)
            if sum(member.compress_size for member in archive.infolist()) + size > MOST_BYTES:
                return [_left_out(plugin, "Together your plugins are larger than 2 GB.")]
            bundle.seek(0)
            # The documents in it are packed already, or not worth it.
            member = zipfile.ZipInfo(f"plugins/{plugin.slug}.zip")
            with archive.open(member, "w", force_zip64=True) as copy:
                shutil.copyfileobj(bundle, copy)
    except LexicError as error:
        return [_left_out(plugin, error.message)]
    return []


def _left_out(plugin: Plugin, why: str) -> dict[str, str]:
    return {"what": f"plugins/{plugin.slug}.zip", "why": why}
