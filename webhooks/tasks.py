"""The background tasks of webhooks: send what is due, find deliveries that were left, and delete old ones."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.utils import timezone

from lexic.celery import app
from webhooks import sender
from webhooks.models import Delivery, Webhook
from webhooks.task_queue import enqueue_webhook

PICK_UP_BATCH_SIZE = 500
PRUNE_BATCH_SIZE = 10_000


@app.task(name="webhooks.send_due")
def send_due(*, webhook_id: str, **kwargs: Any) -> None:
    """However often it is called, nothing is sent twice: what is sent is claimed first."""
    if sender.send_due(UUID(webhook_id)):
        enqueue_webhook(UUID(webhook_id))


@app.task(name="webhooks.pick_up")
def enqueue_due_deliveries(**kwargs: Any) -> int:
    """Enqueue the receivers for which something is due, the longest due first. Returns how many.

    These are second attempts, and first ones whose message got lost.
    """
    now = timezone.now()
    sender.fail_exhausted_deliveries(now=now)
    free = Webhook.objects.sendable(now=now)
    due = Delivery.objects.due(now=now).filter(webhook__in=free).values_list("webhook", flat=True)
    ids = list(dict.fromkeys(due[:PICK_UP_BATCH_SIZE]))
    for webhook_id in ids:
        enqueue_webhook(webhook_id)
    return len(ids)


@app.task(name="webhooks.forget_deliveries")
def prune_deliveries(**kwargs: Any) -> int:
    """Delete what was settled more than a month ago and is under no legal hold. Returns how many rows."""
    old = Delivery.objects.filter(created_at__lt=timezone.now() - Delivery.KEPT_FOR, webhook__plugin__legal_hold="")
    ids = old.settled().order_by("created_at").values_list("pk", flat=True)[:PRUNE_BATCH_SIZE]
    deleted, _ = Delivery.objects.filter(pk__in=list(ids)).delete()
    return deleted
