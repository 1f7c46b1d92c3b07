"""Measures the queues of the broker, from the lists that Celery's Redis transport keeps."""

from __future__ import annotations

import json
import time
from typing import Any

from django.conf import settings
from kombu.exceptions import OperationalError

from lexic.celery import app
from lexic.task_signals import SENT_AT

BrokerUnavailable = OperationalError
QUEUES: tuple[str, ...] = settings.TASK_QUEUES


def count_waiting() -> dict[str, float]:
    """How many messages wait in each queue. Raises the broker's error where it cannot be reached."""
    with app.connection_for_read() as connection:
        client = connection.default_channel.client
        return {queue: client.llen(queue) for queue in QUEUES}


def oldest_waiting_seconds() -> dict[str, float]:
    """How long the oldest message of each queue has waited; 0 where none does. Raises as `count_waiting`."""
    with app.connection_for_read() as connection:
        client = connection.default_channel.client
        return {queue: _seconds_since(client.lindex(queue, -1)) for queue in QUEUES}


def _seconds_since(message: bytes | None) -> float:
    headers: dict[str, Any] = json.loads(message).get("headers", {}) if message else {}
    return max(0.0, time.time() - headers[SENT_AT]) if SENT_AT in headers else 0.0
