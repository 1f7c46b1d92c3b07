from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from celery import shared_task
from django.utils import timezone

from lexic.celery import publish_task
from notifications.models import NotificationMail
from notifications.notify import notify
from notifications.recipients import authors

# What was sent longer ago says nothing about what is due.
_KEPT_DAYS = 60


@shared_task(name="notifications.send_due")
def send_due(**kwargs: object) -> None:
    """Once an hour: a task for each author, and the list of old mails is shortened."""
    NotificationMail.objects.filter(created_at__lt=timezone.now() - timedelta(days=_KEPT_DAYS)).delete()
    for pk in authors().values_list("pk", flat=True).iterator():
        publish_task("notifications.notify", user_id=str(pk), expires=3600)


@shared_task(name="notifications.notify", acks_late=True)
def notify_author(*, user_id: str, **kwargs: object) -> int:
    """The same afterwards, however often the message comes."""
    return notify(UUID(user_id))
