"""Conversations are deleted: public ones when nobody has gone on with them for long, private ones by their person."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from conversations.models import ChatSession
from querying.models import Query

# How many are deleted in one transaction, so that none takes long.
_BATCH_SIZE = 500


@transaction.atomic
def delete_private_conversation(session: ChatSession) -> None:
    """Deletes a person's own conversation, and the questions in it that read private layers, which no plugin has."""
    asked = list(session.messages.values_list("query_id", flat=True))
    Query.objects.with_layers().filter(pk__in=asked, user=session.user_id).delete()
    session.delete()


def delete_stale(*, now: datetime) -> int:
    """Deletes the conversations that are too old at this time, and returns how many there were."""
    count = 0
    while stale := list(ChatSession.objects.stale(now=now).order_by().values_list("pk", flat=True)[:_BATCH_SIZE]):
        ChatSession.objects.filter(pk__in=stale).delete()
        count += len(stale)
    return count
