"""Measures the queues of the broker, from the lists that Celery's Redis transport keeps."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.conf import settings
from kombu.exceptions import OperationalError

from lexic.celery import app
from lexic.publish_task import broker_outage
from lexic.task_signals import SENT_AT

BrokerUnavailable = OperationalError
QUEUES: tuple[str, ...] = settings.TASK_QUEUES
# The most messages of a queue that are looked into.
_MOST_READ = 2000
_Answer = TypeVar("_Answer")


def count_waiting() -> dict[str, float]:
    """How many messages wait in each queue. Raises the broker's error where it cannot be reached."""
    return _ask(lambda client: {queue: client.llen(queue) for queue in QUEUES})


def oldest_waiting_seconds() -> dict[str, float]:
    """How long the oldest message of each queue has waited; 0 where none does. Raises as `count_waiting`."""
    return _ask(lambda client: {queue: _seconds_since(client.lindex(queue, -1)) for queue in QUEUES})


def count_messages(queue: str, *, task: str) -> int:
    """How many messages for this task wait in the queue. Those behind the newest thousands are taken for such ones.
    Raises as `count_waiting`."""

    def count(client: Any) -> int:
        length = int(client.llen(queue))
        others = sum(_headers(message).get("task") != task for message in client.lrange(queue, 0, _MOST_READ - 1))
        return max(0, length - others)

    return _ask(count)


def without_message(values: Sequence[str], *, queue: str, task: str, argument: str) -> list[str]:
    """Those of the values for which no message for this task waits in the queue: a task that is asked for again and
    again piles up while no worker takes it. None of them where more messages wait than are looked into; all of them
    where the broker cannot be reached."""

    def read(client: Any) -> list[str]:
        messages = client.lrange(queue, 0, _MOST_READ)
        if len(messages) > _MOST_READ:
            return []
        wait = {_arguments(one).get(argument) for one in messages if _headers(one).get("task") == task}
        return [value for value in values if value not in wait]

    try:
        return _ask(read) if values else []
    except BrokerUnavailable:
        return list(values)


def _ask(question: Callable[[Any], _Answer]) -> _Answer:
    """One attempt, and none while the broker is known to be away: Prometheus waits ten seconds for all figures."""
    if broker_outage.is_on():
        raise BrokerUnavailable("The broker was away a moment ago.")
    with app.connection_for_read() as connection:
        connection.transport_options = {**connection.transport_options, "max_retries": 0}
        try:
            answer = question(connection.default_channel.client)
        except (BrokerUnavailable, *connection.connection_errors) as error:
            broker_outage.begin(error)
            raise BrokerUnavailable(str(error)) from error
    broker_outage.end()
    return answer


def _seconds_since(message: bytes | None) -> float:
    headers = _headers(message) if message else {}
    return max(0.0, time.time() - headers[SENT_AT]) if SENT_AT in headers else 0.0


def _arguments(message: bytes) -> dict[str, Any]:
    """The named arguments of a task, from the body as Celery writes it."""
    _, named, _ = json.loads(base64.b64decode(json.loads(message)["body"]))
    return dict(named)


def _headers(message: bytes) -> dict[str, Any]:
    headers: dict[str, Any] = json.loads(message).get("headers", {})
    return headers
