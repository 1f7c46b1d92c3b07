"""Adds an id and a time to every task, and counts tasks.

A task works under the id of the request that asked for it, so that the logs tell what led to what. The id is in a
header of the message, and so is when it was sent. A task that no request asked for, such as a scheduled one, works
under its own id.
"""

from __future__ import annotations

import time
import uuid
from typing import Any

from celery import Task
from celery.signals import before_task_publish, heartbeat_sent, task_postrun, task_prerun, worker_ready
from django.conf import settings

from lexic import metrics, tracing
from lexic.middleware.request_id import current_request_id, take_id

LONG_SECONDS = 1.0
REQUEST_ID, SENT_AT = "lexic_request_id", "lexic_sent_at"


@before_task_publish.connect
def complete_message(*, headers: dict[str, Any], **_: Any) -> None:
    """Adds the request's id and the time to a message, also of a task that a task sends or retries."""
    headers[SENT_AT] = time.time()
    if request_id := current_request_id():
        headers[REQUEST_ID] = request_id


@task_prerun.connect
def begin_task(*, task_id: str, task: Task, **_: Any) -> None:
    """A task that runs within a request, because no worker was asked, keeps the request's id."""
    outer = current_request_id()
    task.request.outer_request_id = outer
    task.request.begun = time.monotonic()
    take_id(task.request.get(REQUEST_ID) or outer or task_id)
    if sent_at := task.request.get(SENT_AT):
        metrics.count_task_wait(task=task.name, seconds=max(0.0, time.time() - sent_at))


@task_postrun.connect
def end_task(*, task_id: str, task: Task, state: str | None = None, retval: Any = None, **_: Any) -> None:
    seconds, state = time.monotonic() - task.request.begun, (state or "unknown").lower()
    metrics.count_task(task=task.name, state=state, seconds=seconds)
    error = type(retval).__name__ if state == "failure" else ""
    # The timetable asks for something every few seconds, and nearly always there is nothing to do.
    if tracing.is_on() and (error or task.request.get(REQUEST_ID) or seconds >= LONG_SECONDS):
        tracing.send(_task_trace(task, task_id, state=state, seconds=seconds, error=error))
    take_id(task.request.outer_request_id)


def _task_trace(task: Task, task_id: str, *, state: str, seconds: float, error: str) -> tracing.Trace:
    return tracing.Trace(
        id=uuid.UUID(task_id),
        name=task.name,
        started=time.time() - seconds,
        seconds=seconds,
        spans=(),
        is_private=True,  # it has no words
        attributes={"state": state, "request_id": current_request_id()},
        error=error,
    )


@heartbeat_sent.connect
def show_running(**_: Any) -> None:
    """Every two seconds, by the process that the others of a worker belong to."""
    metrics.show_running()


@worker_ready.connect
def serve_metrics(**_: Any) -> None:
    if settings.METRICS["port"]:
        metrics.serve_counted()
