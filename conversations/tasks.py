"""What a worker does for conversations: forget the old ones."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from conversations.forget import forget_stale


@shared_task(name="conversations.forget")
def forget(**kwargs: object) -> None:
    forget_stale(now=timezone.now())
