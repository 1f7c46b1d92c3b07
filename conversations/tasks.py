"""The worker deletes old conversations."""

from __future__ import annotations

from django.utils import timezone

from conversations.retention import delete_stale
from lexic.celery import app


@app.task(name="conversations.forget")
def delete_stale_conversations(**kwargs: object) -> None:
    delete_stale(now=timezone.now())
