"""Everything of a person's as one zip: what this site knows of them, and what they made here."""

from __future__ import annotations

import json
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, Any

from django.apps import apps
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Model, Q, QuerySet

from accounts import avatars
from accounts.models import User
from audit.actions import Action
from audit.models import AuditEntry
from audit.record import record
from audit.references import person
from conversations.exchanges import withheld_messages
from conversations.models import ChatSession
from knowledge.documents import file_store
from knowledge.models import BaseKind, Document
from knowledge.versions.batches import batched
from lexic.errors import LexicError
from marketplace.bundle.draft_export import export_plugin
from plugins.models import Plugin
from privacy.personal_data import PERSONAL_DATA_RULES, PersonalDataRule
from querying.models import Query
from querying.query_log.quotations import WITHHELD_TEXT, withhold_quotations

# The newest rows of each kind, and the bytes of all plugins together.
MAX_ROWS = 200_000
MAX_EXPORT_BYTES = 2 * 1024**3
_EXPORT_BATCH = 500
_DEED_FIELDS = ("at", "action", "via", "object", "subject", "request_id", "details")
_PROFILE_FIELDS = ("id", "email", "display_name", "created_at", "last_login", "is_staff")


def export_personal_data(user: User) -> IO[bytes]:
    """The zip, open at its beginning; the caller closes it, and then it is gone.

    Lists are lines of JSON, newest first; plugins are files that can be imported again. What does not fit, or cannot
    be read any more, is named in `left_out.json`. No secret is in it.
    """
    record(Action.DATA_EXPORTED, person(user))
    target = tempfile.TemporaryFile()  # noqa: SIM115  # the caller reads and closes it
    left_out: list[dict[str, str]] = []
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        _write_json(archive, "profile.json", {name: getattr(user, name) for name in _PROFILE_FIELDS})
        for label, decision in PERSONAL_DATA_RULES.items():
            if decision.file:
                _write_rows(archive, decision, personal_rows(user, label), user=user)
        _write_deeds(archive, user)
        if user.avatar:
            with suppress(FileNotFoundError):
                archive.writestr("picture.webp", avatars.read_avatar(user.avatar))
        for plugin in Plugin.objects.filter(owner=user, organisation=None).order_by("slug"):
            left_out += _write_plugin(archive, plugin)
        left_out += _write_private_documents(archive, user)
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
    if rows.model is Query:
        lines: Any = _questions(newest, columns, user=user)
    else:
        lines = _chat_messages(newest, columns, reader=user) if rows.model is ChatSession else newest.values(*columns)
    with archive.open(f"{rule.file}.jsonl", "w") as member:
        for line in lines.iterator(chunk_size=_EXPORT_BATCH) if isinstance(lines, QuerySet) else lines:
            member.write(_json_bytes(line) + b"\n")


def _questions(rows: QuerySet[Query], columns: tuple[str, ...], *, user: User) -> Iterator[dict[str, Any]]:
    """The person's questions, with the quotations that they may still read."""
    for batch in batched(rows.iterator(chunk_size=_EXPORT_BATCH), _EXPORT_BATCH):
        for row in withhold_quotations(batch, viewer=user):
            yield {name: getattr(row, name) for name in columns}


def _chat_messages(
    sessions: QuerySet[ChatSession], columns: tuple[str, ...], *, reader: User
) -> Iterator[dict[str, Any]]:
    """A line for each message, without the answers that the chat itself does not show any more."""
    of_session = [name for name in columns if "__" not in name]
    for session in sessions.select_related("plugin").iterator(chunk_size=_EXPORT_BATCH):
        known = {name: getattr(session, name) for name in of_session}
        messages = list(session.messages.all())
        withheld = withheld_messages(session, messages, reader=reader)
        for message in messages:
            content = WITHHELD_TEXT if message.pk in withheld else message.content
            yield {**known, "messages__role": message.role, "messages__content": content}


def _write_deeds(archive: zipfile.ZipFile, user: User) -> None:
    """What the audit log has of what the person did, the newest first."""
    deeds = AuditEntry.objects.filter(actor=str(person(user))).order_by("-at")
    with archive.open("audit_log.jsonl", "w") as member:
        for line in deeds.values(*_DEED_FIELDS)[:MAX_ROWS].iterator(chunk_size=_EXPORT_BATCH):
            member.write(_json_bytes(line) + b"\n")


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


def _write_private_documents(archive: zipfile.ZipFile, user: User) -> Iterator[dict[str, str]]:
    """The files of the person's own documents and of their projects', and what was left out of them. Those of plugins
    are in the files of the plugins."""
    theirs = Document.objects.present().filter(knowledge_base__owner=user)
    private = theirs.exclude(knowledge_base__kind=BaseKind.PLUGIN).exclude(sha256="")
    size = sum(member.compress_size for member in archive.infolist())
    for document in private.order_by("pk").iterator(chunk_size=_EXPORT_BATCH):
        name = f"documents/{document.pk}/{_safe_name(document)}"
        found = file_store.stored_sizes([document.sha256])
        if not found:
            yield {"what": name, "why": "Its file is missing."}
        elif size + found[document.sha256] > MAX_EXPORT_BYTES:
            yield {"what": name, "why": "Together your files are larger than 2 GB."}
        else:
            with file_store.open_stored(document.sha256) as source, archive.open(name, "w") as member:
                shutil.copyfileobj(source, member)
            size += found[document.sha256]


def _safe_name(document: Document) -> str:
    """The file's name as one part of a path."""
    return document.file_name.replace("/", "-").replace("\\", "-").strip(". ") or "document"


def _left_out_entry(plugin: Plugin, why: str) -> dict[str, str]:
    return {"what": f"plugins/{plugin.slug}.zip", "why": why}
