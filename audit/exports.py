"""The audit log as lines for another system: JSON, or syslog messages of RFC 5424."""

from __future__ import annotations

import json
import socket
from collections.abc import Collection, Iterable, Iterator
from datetime import UTC
from typing import Any

from django.db import connection
from django.db.models import QuerySet

from audit.models import AuditEntry, AuditName

_BATCH_SIZE = 1000
# Facility 13 (log audit), severity 5 (notice).
_PRIORITY = 13 * 8 + 5
# An id of our own with the enterprise number that RFC 5612 keeps for examples: Lexic has none.
_STRUCTURED_ID = "lexic@32473"
_LAST_NAMES = """
SELECT DISTINCT ON (named.reference) named.reference, known.name
FROM audit_auditentry, jsonb_each_text(names) AS named(reference, digest) JOIN audit_auditname known USING (digest)
WHERE names ?| %s AND named.reference = ANY(%s)
ORDER BY named.reference, number DESC NULLS FIRST
"""


def json_lines(entries: QuerySet[AuditEntry]) -> Iterator[str]:
    """One object for each entry, the oldest first. `names` are those that were not erased."""
    for entry, names in _with_names(entries):
        yield json.dumps(entry_json(entry, names=names), ensure_ascii=False)


def syslog_lines(entries: QuerySet[AuditEntry]) -> Iterator[str]:
    """One message for each entry, the oldest first: the action as its id, the rest as structured data and in words."""
    host = _printable(socket.gethostname(), 255)
    for entry, names in _with_names(entries):
        at = entry.at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        said = {
            "number": str(entry.number),
            "hash": entry.hash,
            "actor": entry.actor,
            "via": entry.via,
            "object": entry.object,
            "subject": entry.subject,
            "request": entry.request_id,
            "details": json.dumps(entry.details, ensure_ascii=False, sort_keys=True),
        }
        data = " ".join(f'{name}="{_escape(value)}"' for name, value in said.items() if value)
        words = entry.get_action_display()
        shown = ", ".join(f"{reference} is {name}" for reference, name in names.items())
        message = f"{words}; {shown}" if shown else words
        message = message.replace("\n", " ")
        yield (
            f"<{_PRIORITY}>1 {at} {host} lexic-audit - {_printable(entry.action, 32)} "
            f"[{_STRUCTURED_ID} {data}] \ufeff{message}"
        )


def entry_json(entry: AuditEntry, *, names: dict[str, str]) -> dict[str, Any]:
    """What an export says of an entry."""
    return {
        "number": entry.number,
        "id": str(entry.pk),
        "at": entry.at.astimezone(UTC).isoformat(),
        "action": entry.action,
        "actor": entry.actor,
        "via": entry.via,
        "object": entry.object,
        "subject": entry.subject,
        "requestId": entry.request_id,
        "details": entry.details,
        "names": names,
        "digests": entry.names,
        "hash": entry.hash,
    }


def names_of(entries: Iterable[AuditEntry]) -> dict[str, str]:
    """The names that were not erased, by digest. One statement."""
    digests = {digest for entry in entries for digest in entry.names.values()}
    return dict(AuditName.objects.filter(digest__in=digests).values_list("digest", "name"))


def last_names(references: Collection[str]) -> dict[str, str]:
    """What each was called when the last entry that names it was written, unless that was erased. One statement."""
    with connection.cursor() as cursor:
        cursor.execute(_LAST_NAMES, [list(references), list(references)])
        return dict(cursor.fetchall())


def _with_names(entries: QuerySet[AuditEntry]) -> Iterator[tuple[AuditEntry, dict[str, str]]]:
    after = 0
    while batch := list(entries.filter(number__gt=after).order_by("number")[:_BATCH_SIZE]):
        known = names_of(batch)
        for entry in batch:
            yield entry, entry.known_names(known)
        after = batch[-1].number or after


def _escape(value: str) -> str:
    """Escapes the value of a parameter as RFC 5424 requires."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("]", "\\]")
    return escaped.replace("\n", " ")


def _printable(text: str, length: int) -> str:
    """Reduces a header field to printable ASCII without spaces, as RFC 5424 requires."""
    return "".join(each if "!" <= each <= "~" else "-" for each in text)[:length] or "-"
