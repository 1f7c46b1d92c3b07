"""The id of a request goes along with its tasks, through the broker, into the log; and tasks are counted."""

from __future__ import annotations

import contextvars
import json
import logging
from collections.abc import Iterator
from queue import Queue
from typing import Any

import pytest
from celery import Task
from celery.contrib.testing.worker import start_worker
from prometheus_client.parser import text_string_to_metric_families

from lexic import metrics
from lexic.celery import app
from lexic.json_log import RedactingJsonFormatter
from lexic.middleware.request_id import begin_request, current_request_id
from tests.langfuse_stub import Langfuse, langfuse
from tests.lexic.test_tracing import attributes

__all__ = ["langfuse"]
PATIENCE = 120
seen: Queue[dict[str, Any]] = Queue()


@pytest.fixture
def task() -> Iterator[Task]:
    """One that tells the id that it works under, and asks for another one once."""
    name = "tests.tell_request_id"
    seen.queue.clear()

    @app.task(name=name, bind=True, max_retries=1, shared=False)
    def tell(self: Task, further: bool = False) -> None:
        record = logging.makeLogRecord({"msg": "at work"})
        seen.put(
            {"id": current_request_id(), "own": self.request.id, **json.loads(RedactingJsonFormatter().format(record))}
        )
        if further:
            self.apply_async(queue=self.request.delivery_info["routing_key"])
            raise self.retry(countdown=0, kwargs={"further": False}, queue=self.request.delivery_info["routing_key"])

    yield tell
    app.tasks.unregister(name)


def in_request(sent: str, work: Any) -> Any:
    def answer() -> Any:
        begin_request(sent)
        return work(), current_request_id()

    return contextvars.Context().run(answer)


@pytest.fixture(autouse=True)
def app_as_before() -> Iterator[None]:
    """A worker in this process tells the app which queues it serves and which there are, and sets up logging."""
    queues, root = app.amqp.queues, logging.getLogger()
    served, known, level, handlers = queues._consume_from, set(queues), root.level, root.handlers[:]
    yield
    root.setLevel(level)
    root.handlers[:] = handlers
    queues._consume_from = served
    for name in set(queues) - known:
        del queues[name]


def counted(task: Task, **labels: str) -> float:
    families = text_string_to_metric_families(metrics.render().decode())
    samples = [one for family in families for one in family.samples]
    wanted = {"task": task.name, **labels}.items()
    return sum(one.value for one in samples if one.name == "lexic_tasks_total" and wanted <= one.labels.items())


@pytest.mark.django_db
def test_tasks_are_counted_by_how_they_ended(task: Task, settings: Any) -> None:
    settings.METRICS = {**settings.METRICS, "token": "only-for-prometheus"}
    before = counted(task, state="success"), counted(task, state="retry")
    task.apply()
    assert (counted(task, state="success"), counted(task, state="retry")) == (before[0] + 1, before[1])


def test_a_task_works_under_the_id_of_the_request_that_asked_for_it(task: Task) -> None:
    queue = "test-request-ids"
    in_request("mine-9", lambda: task.apply_async(kwargs={"further": True}, queue=queue))
    contextvars.Context().run(task.apply_async, queue=queue)
    with start_worker(app, queues=[queue], perform_ping_check=False, shutdown_timeout=PATIENCE):
        told = [seen.get(timeout=PATIENCE) for _ in range(4)]
    assert [one["id"] for one in told].count("mine-9") == 3  # itself, the one it asked for, and its second try
    (alone,) = [one for one in told if one["id"] != "mine-9"]
    assert alone["id"] == alone["own"]
    for one in told:
        assert (one["request_id"], one["task"], one["task_id"]) == (one["id"], task.name, one["own"])


def test_a_task_within_a_request_keeps_its_id_and_leaves_it(task: Task) -> None:
    _, after = in_request("mine-10", task.apply)
    assert seen.get(timeout=PATIENCE)["id"] == after == "mine-10"
    contextvars.Context().run(task.apply)
    told = seen.get(timeout=PATIENCE)
    assert told["id"] == told["own"]


def test_a_task_that_somebody_asked_for_is_traced_and_one_of_the_timetable_only_where_it_matters(
    task: Task, langfuse: Langfuse, settings: Any
) -> None:
    settings.TRACING = langfuse.as_collector()
    queue = "test-traces"
    contextvars.Context().run(task.apply_async, queue=queue)
    asked, _ = in_request("mine-11", lambda: task.apply_async(queue=queue))
    with start_worker(app, queues=[queue], perform_ping_check=False, shutdown_timeout=PATIENCE):
        [span] = langfuse.spans()
    assert (span["name"], span["traceId"]) == (task.name, asked.id.replace("-", ""))
    assert attributes(span)["langfuse.trace.metadata.request_id"] == "mine-11"
    assert attributes(span)["langfuse.trace.metadata.state"] == "success"
