"""Deletes what of the audit log is older than the site keeps it, and leaves an entry that says so."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from audit.actions import Action
from audit.models import AuditEntry
from audit.record import record


@transaction.atomic
def prune_log(*, now: datetime | None = None) -> int:
    """Returns how many entries were deleted. What is left is a chain still: the new entry has the last hash that went.

    The oldest entries go up to the first one that is to be kept, so that no gap comes about.
    """
    days = settings.AUDIT["keep_days"]
    if not days:
        return 0
    oldest_kept = (now or timezone.now()) - timedelta(days=days)
    chained = AuditEntry.objects.filter(number__isnull=False)
    kept = chained.filter(at__gte=oldest_kept).order_by("number").first()
    old = chained.filter(number__lt=kept.number) if kept else chained
    last = old.order_by("-number").first()
    if last is None:
        return 0
    record(Action.LOG_PRUNED, details={"through": last.number, "hash": last.hash})
    count, _ = AuditEntry.objects.filter(number__lte=last.number).delete()
    _delete_unused_names()
    return count


def _delete_unused_names() -> None:
    """Deletes names that no entry has any more, former names of people among them."""
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM audit_auditname known WHERE NOT EXISTS ("
            "SELECT FROM audit_auditentry, jsonb_each_text(names) AS named(reference, digest)"
            " WHERE named.digest = known.digest)"
        )
