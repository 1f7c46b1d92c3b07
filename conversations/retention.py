"""Old conversations are deleted, when nobody has gone on with them for a long time."""

from __future__ import annotations

from datetime import datetime

from conversations.models import ChatSession

# How many are deleted in one transaction, so that none takes long.
_BATCH_SIZE = 500


def delete_stale(*, now: datetime) -> int:
    """Deletes the conversations that are too old at this time, and returns how many there were."""
    count = 0
    while stale := list(ChatSession.objects.stale(now=now).order_by().values_list("pk", flat=True)[:_BATCH_SIZE]):
        ChatSession.objects.filter(pk__in=stale).delete()
        count += len(stale)
    return count
