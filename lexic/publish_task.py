"""Sends tasks to the workers. Celery is loaded with the first one, and not by processes that send none."""

from __future__ import annotations

from threading import Lock
from typing import Any

from lexic.redis_cache import Outage

# Whoever sends a message does not wait for a broker that is away. A connection that went stale gets a second try.
BROKER_RETRY_POLICY = {"max_retries": 1, "interval_start": 0, "interval_step": 0.1, "interval_max": 0.1}

broker_outage = Outage("The broker")
_tasks_are_loading = Lock()


def publish_task(name: str, *, expires: float | None = None, countdown: float | None = None, **arguments: Any) -> bool:
    """Ask a worker to run the task of this name. False, and a line in the log, when the broker cannot be reached.

    The task is looked up by its name, so that the code that asks need not import the code that works. `expires`: after
    so many seconds no worker takes it up any more. `countdown`: none takes it up before; less than the broker's
    `visibility_timeout`.
    """
    from kombu.exceptions import OperationalError as BrokerUnavailable  # slow import

    task = _loaded_task(name)
    if broker_outage.is_on():
        return False
    try:
        task.apply_async(kwargs=arguments, expires=expires, countdown=countdown, retry_policy=BROKER_RETRY_POLICY)
    except BrokerUnavailable as error:
        broker_outage.begin(error)
        return False
    broker_outage.end()
    return True


def run_task(name: str, **arguments: Any) -> None:
    """Does the task here and now, for what cannot wait until the broker is back. Raises nothing that the task raises:
    that is logged, as a worker does."""
    _loaded_task(name).apply(kwargs=arguments)


def _loaded_task(name: str) -> Any:
    """Imports the tasks where the one of this name is missing. Celery imports them once: who comes meanwhile waits."""
    from lexic.celery import app  # slow import

    if name not in app.tasks:
        with _tasks_are_loading:
            if name not in app.tasks:
                app.loader.import_default_modules()
    return app.tasks[name]
