"""Records the webhook event of a refusal: the question, the release and the reasons, never the person."""

from __future__ import annotations

import logging

from django.db import Error, transaction

from querying.models import Query
from querying.types.answer import Outcome
from webhooks import outbox
from webhooks.models import Event

logger = logging.getLogger(__name__)


def report_refusal(query: Query) -> None:
    """Called in the transaction that writes the query row, which matters more: nothing is raised."""
    if query.outcome != Outcome.REFUSED or query.plugin_id is None:
        return
    data = {"queryId": str(query.pk), "release": query.release_name, "reason": query.reason}
    try:
        with transaction.atomic():
            outbox.record_event(
                [query.plugin_id],
                kind=Event.QUESTION_UNANSWERED,
                data=data,
                # The words may be about a person; they go only where the plugin's people asked for them.
                personal={"question": query.question},
            )
    except Error:
        logger.exception("no webhook is told of the refused query %s", query.pk)
