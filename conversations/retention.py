"""Conversations end: when their visitor says so, and when nobody has gone on with them for a long time."""

from __future__ import annotations

from datetime import datetime

from conversations.models import ChatSession

# Rows that go at once, so that no transaction is long.
_BATCH_SIZE = 500


def delete_stale(*, now: datetime) -> int:
    """Deletes them, and says how many there were."""
    forgotten = 0
    while stale := list(ChatSession.objects.stale(now=now).order_by().values_list("pk", flat=True)[:_BATCH_SIZE]):
        ChatSession.objects.filter(pk__in=stale).delete()
        forgotten += len(stale)
    return forgotten
