from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.utils import timezone

from lexic.celery import app
from lexic.publish_task import publish_task
from notifications import expert_replies
from notifications.models import NotificationMail
from notifications.notify import notify
from notifications.recipients import authors

# What was sent longer ago says nothing about what is due.
_KEPT_DAYS = 60


@app.task(name="notifications.send_due")
def send_due(**kwargs: object) -> None:
    """Once an hour: a task for each author, replies that could not be mailed before, and what is old is deleted."""
    NotificationMail.objects.filter(created_at__lt=timezone.now() - timedelta(days=_KEPT_DAYS)).delete()
    for pk in authors().values_list("pk", flat=True).iterator():
        publish_task("notifications.notify", user_id=str(pk), expires=3600)
    expert_replies.tidy_up(now=timezone.now())


@app.task(name="notifications.notify", acks_late=True)
def notify_author(*, user_id: str, **kwargs: object) -> int:
    """The same afterwards, however often the message comes."""
    return notify(UUID(user_id))


@app.task(name="notifications.ask_to_confirm", acks_late=True)
def ask_to_confirm(*, request_id: int, **kwargs: object) -> None:
    expert_replies.ask_to_confirm(request_id)


@app.task(name="notifications.mail_expert_reply", acks_late=True)
def mail_expert_reply(*, request_id: int, **kwargs: object) -> None:
    """The same afterwards, however often the message comes."""
    expert_replies.mail_reply(request_id)
