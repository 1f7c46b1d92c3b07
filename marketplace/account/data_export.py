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
from knowledge.versions.batches import batched
from lexic.errors import LexicError
from marketplace.account.personal_data import PERSONAL_DATA_RULES, PersonalDataRule
from marketplace.bundle.draft_export import export_plugin
from plugins.models import Plugin
from querying.audit.quotations import withhold_quotations
from querying.models import Query

# The newest rows of each kind, and the bytes of all plugins together.
MAX_ROWS = 200_000
MAX_EXPORT_BYTES = 2 * 1024**3
_EXPORT_BATCH = 500
_PROFILE_FIELDS = ("id", "email", "display_name", "created_at", "last_login", "is_staff")


def export_personal_data(user: User) -> IO[bytes]:
    """The zip, open at its beginning; the caller closes it, and then it is gone.

    Lists are lines of JSON, newest first; plugins are files that can be imported again. What does not fit, or cannot
    be read any more, is named in `left_out.json`. No secret is in it.
    """
    target = tempfile.TemporaryFile()  # noqa: SIM115  # the caller reads and closes it
    left_out: list[dict[str, str]] = []
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        _write_json(archive, "profile.json", {name: getattr(user, name) for name in _PROFILE_FIELDS})
        for label, decision in PERSONAL_DATA_RULES.items():
            if decision.file:
                _write_rows(archive, decision, personal_rows(user, label), user=user)
        if user.avatar and (picture := avatars.avatar_path(user.avatar)).exists():
            archive.write(picture, "picture.webp")
        for plugin in Plugin.objects.filter(owner=user).order_by("slug"):
            left_out += _write_plugin(archive, plugin)
        _write_json(archive, "left_out.json", left_out)
    target.seek(0)
    return target


def personal_rows(user: User, label: str) -> QuerySet[Model]:
    """The rows that name this person in the field `app.Model.field`, the newest first."""
    model_label, _, field = label.rpartition(".")
    named = Q(**{field: user})
    for lookup in PERSONAL_DATA_RULES[label].extra_lookups:
        named |= Q(**{lookup: user})
    model = apps.get_model(model_label)
    newest = "-created_at" if "created_at" in {column.name for column in model._meta.concrete_fields} else "-pk"
    return model._base_manager.filter(named).order_by(newest)


def _write_rows(archive: zipfile.ZipFile, rule: PersonalDataRule, rows: QuerySet[Any], *, user: User) -> None:
    columns, newest = rule.columns, rows[:MAX_ROWS]
    lines = _questions(newest, columns, user=user) if rows.model is Query else newest.values(*columns)
    with archive.open(f"{rule.file}.jsonl", "w") as member:
        for line in lines.iterator(chunk_size=_EXPORT_BATCH) if isinstance(lines, QuerySet) else lines:
            member.write(_json_bytes(line) + b"\n")


def _questions(rows: QuerySet[Query], columns: tuple[str, ...], *, user: User) -> Iterator[dict[str, Any]]:
    """With the quotations that the person may still read."""
    for batch in batched(rows.iterator(chunk_size=_EXPORT_BATCH), _EXPORT_BATCH):
        for row in withhold_quotations(batch, viewer=user):
            yield {name: getattr(row, name) for name in columns}


def _write_json(archive: zipfile.ZipFile, name: str, value: Any) -> None:
    archive.writestr(name, _json_bytes(value))


def _json_bytes(value: Any) -> bytes:
    return json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False).encode()


def _write_plugin(archive: zipfile.ZipFile, plugin: Plugin) -> list[dict[str, str]]:
    """Nothing, or what was left out and why."""
    try:
        with export_plugin(plugin) as bundle:
            size = bundle.seek(0, 2)
            if sum(member.compress_size for member in archive.infolist()) + size > MAX_EXPORT_BYTES:
                return [_left_out_entry(plugin, "Together your plugins are larger than 2 GB.")]
            bundle.seek(0)
            # The documents in it are packed already, or not worth it.
            member = zipfile.ZipInfo(f"plugins/{plugin.slug}.zip")
            with archive.open(member, "w", force_zip64=True) as copy:
                shutil.copyfileobj(bundle, copy)
    except LexicError as error:
        return [_left_out_entry(plugin, error.message)]
    return []


def _left_out_entry(plugin: Plugin, why: str) -> dict[str, str]:
    return {"what": f"plugins/{plugin.slug}.zip", "why": why}
