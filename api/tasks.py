from __future__ import annotations

from typing import Any
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from api.batch.ask_questions import work_on
from api.models import Batch, IdempotentRequest
from lexic.celery import app
from lexic.publish_task import publish_task
from lexic.task_queues import without_message


@app.task(name="api.forget_requests", ignore_result=True)
def forget_requests(**kwargs: Any) -> None:
    """Deletes the responses that are not sent again any more."""
    IdempotentRequest.objects.expired(now=timezone.now()).delete()


@app.task(name="api.work_on_batch")
def work_on_batch(*, batch_id: str, **kwargs: Any) -> None:
    """Asks questions of the batch for a while, and has the rest asked behind what else is in the queue."""
    if work_on(UUID(batch_id)):
        publish_task("api.work_on_batch", batch_id=batch_id)


@app.task(name="api.resume_batches", ignore_result=True)
def resume_batches(**kwargs: Any) -> None:
    """Has those taken up whose message is lost, as one of a worker that died, or that a limit has room for again. Those
    that are old are deleted."""
    now = timezone.now()
    Batch.objects.expired(now=now).delete()
    due = [str(pk) for pk in Batch.objects.due(now=now).values_list("pk", flat=True)]
    for pk in without_message(due, queue=settings.REVIEW_QUEUE, task=work_on_batch.name, argument="batch_id"):
        publish_task(work_on_batch.name, batch_id=pk)
