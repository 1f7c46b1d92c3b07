"""Rows as they were at an earlier time: the present ones, with every change reverted that the audit log has since."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from operator import attrgetter
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


def rows_before(
    present: Mapping[str, Columns],
    entries: Iterable[AuditEntry],
    *,
    key: Callable[[AuditEntry], str] = attrgetter("row_id"),
) -> dict[str, Columns]:
    """The rows before these entries, which come newest first. `key` says which row an entry is about."""
    rows = dict(present)  # none of which is changed below
    for entry in entries:
        name, was = key(entry), entry.details.get("was")
        if was is None:
            rows.pop(name, None)
        else:
            rows[name] = rows.get(name, {}) | was
    return rows
