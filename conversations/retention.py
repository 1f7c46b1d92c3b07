"""Deletes conversations: public ones that have not been used for long, private ones at the request of their person."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from conversations.models import ChatSession
from querying.models import Query
from querying.query_log.spending import delete_queries

# How many are deleted in one transaction, so that none takes long.
_BATCH_SIZE = 500


@transaction.atomic
def delete_private_conversation(session: ChatSession) -> None:
    """Deletes a person's own conversation, and the private questions in it, which no plugin has."""
    ChatSession.objects.filter(pk=session.pk).lock_for_deletion()
    delete_queries(private_questions(session))
    session.delete()


def private_questions(session: ChatSession) -> QuerySet[Query]:
    """What its person asked in this conversation, in private."""
    answered = list(session.messages.exclude(query_id=None).values_list("query_id", flat=True))
    in_it = Q(pk__in=answered) | Q(conversation_id=session.pk)
    return Query.objects.private().filter(in_it, user=session.user_id)


def delete_stale(*, now: datetime) -> int:
    """Deletes the conversations that are too old at this time, and returns how many there were."""
    count = 0
    while stale := list(ChatSession.objects.stale(now=now).order_by().values_list("pk", flat=True)[:_BATCH_SIZE]):
        ChatSession.objects.filter(pk__in=stale).delete()
        count += len(stale)
    return count
