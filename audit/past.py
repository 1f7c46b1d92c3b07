"""What rows were like at an earlier time: the present ones, with everything undone that the log has since."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from audit.models import AuditEntry
from lexic.errors import InvalidInput

Columns = dict[str, Any]


class BeforeTheLog(InvalidInput):
    """The audit log begins later."""

    code = "before_the_log"


def check_covered(at: datetime) -> None:
    """Raises `BeforeTheLog` for a time of which the log knows nothing."""
    first = AuditEntry.objects.filter(number__isnull=False).order_by("number").first()
    if first is None or at < first.at:
        begins = f"on {first.at:%Y-%m-%d at %H:%M} UTC" if first else "with what is done next"
        raise BeforeTheLog(f"The audit log begins {begins}: what was before is not known.")


def undo(
    present: Mapping[str, Columns],
    entries: Iterable[AuditEntry],
    *,
    key: Callable[[AuditEntry], str],
) -> dict[str, Columns]:
    """The rows before these entries, which come newest first. `key` says which row an entry is about."""
    rows = {name: dict(columns) for name, columns in present.items()}
    for entry in entries:
        name, was = key(entry), entry.details.get("was")
        if was is None:
            rows.pop(name, None)
        else:
            rows[name] = rows.get(name, {}) | was
    return rows


def object_id(entry: AuditEntry) -> str:
    """The id of the row that the entry is about, where it is the object."""
    return entry.object.partition(":")[2]


def row_id(entry: AuditEntry) -> str:
    """The id of the row that says something of the object: a grant, a member."""
    return str(entry.details["row"])


def subject_id(entry: AuditEntry) -> str:
    return entry.subject.partition(":")[2]
