"""Measures the queues of the broker, from the lists that Celery's Redis transport keeps."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from django.conf import settings
from kombu.exceptions import OperationalError

from lexic.celery import app
from lexic.publish_task import broker_outage
from lexic.task_signals import SENT_AT

BrokerUnavailable = OperationalError
QUEUES: tuple[str, ...] = settings.TASK_QUEUES


def count_waiting() -> dict[str, float]:
    """How many messages wait in each queue. Raises the broker's error where it cannot be reached."""
    return _ask(lambda client: {queue: client.llen(queue) for queue in QUEUES})


def oldest_waiting_seconds() -> dict[str, float]:
    """How long the oldest message of each queue has waited; 0 where none does. Raises as `count_waiting`."""
    return _ask(lambda client: {queue: _seconds_since(client.lindex(queue, -1)) for queue in QUEUES})


def _ask(question: Callable[[Any], dict[str, float]]) -> dict[str, float]:
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
    headers: dict[str, Any] = json.loads(message).get("headers", {}) if message else {}
    return max(0.0, time.time() - headers[SENT_AT]) if SENT_AT in headers else 0.0
