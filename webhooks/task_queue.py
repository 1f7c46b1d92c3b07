"""Enqueues the task of `webhooks.tasks` by name, so that what records an event loads nothing that sends it."""

from __future__ import annotations

from uuid import UUID

from lexic.publish_task import publish_task

# The next round asks again; a queue that nobody empties must not fill up with doubles.
TASK_EXPIRY_SECONDS = 60


def enqueue_webhook(webhook_id: UUID) -> None:
    """Have a worker send what is due to this receiver. Without a broker the next `enqueue_due_deliveries` does."""
    publish_task("webhooks.send_due", expires=TASK_EXPIRY_SECONDS, webhook_id=str(webhook_id))
