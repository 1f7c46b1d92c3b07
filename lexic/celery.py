"""The Celery app. Tasks are found in each app's `tasks.py`."""

from __future__ import annotations

import json
import os
import signal
import warnings
from typing import Any

from celery import Celery
from celery.platforms import SecurityWarning
from celery.signals import beat_embedded_init, worker_init, worker_process_init
from django.conf import settings
from kombu.entity import Exchange, Queue

from lexic import task_signals  # noqa: F401 -- connects itself to what happens to tasks
from lexic.periodic_tasks import PERIODIC_TASKS
from local.process_memory import return_memory_early

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lexic.settings")
# Celery would run Django's checks whenever it loads the tasks, which imports every page, and drop what they find.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")

# The built-in worker runs as whoever started it. What makes that dangerous, pickled tasks, is switched off.
warnings.filterwarnings("ignore", category=SecurityWarning)

app = Celery("lexic")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.beat_schedule = PERIODIC_TASKS
app.conf.task_queues = [
    Queue(name, Exchange(name), routing_key=name)  # type: ignore[no-untyped-call]
    for name in settings.TASK_QUEUES
]
app.autodiscover_tasks()


def consumes_queue(queue: str) -> bool:
    """Whether this worker takes the messages of that queue."""
    return queue in app.amqp.queues.consume_from


@worker_init.connect
def wait_longer_for_broker(**_: Any) -> None:
    """Lets a worker wait longer for the broker. No person waits for a worker, and a worker that drops its connection
    starts its tasks again."""
    app.conf.broker_transport_options["socket_timeout"] = 10.0


@worker_init.connect
def return_memory(**_: Any) -> None:
    """Before the processes that run tasks are forked, which keep to it."""
    return_memory_early()


@worker_init.connect
def lower_reader_priority(**_: Any) -> None:
    """A worker that does nothing but read documents and make backups leaves the machine to whoever waits for
    something."""
    from django.conf import settings
    from django.db.backends.signals import connection_created

    from local.process_priority import set_reader_priority

    if _only_reads():
        set_reader_priority(os.getpid(), gives_way=True)
        if not settings.DATABASE_URL:  # else PostgreSQL's processes are not ours to lower
            connection_created.connect(_lower_backend_priority)


@worker_process_init.connect
def keep_least_share(**_: Any) -> None:
    """However busy the machine is, each of its children gets on."""
    from local.reader_cpu_share import start_watching

    if _only_reads():
        start_watching()


def _only_reads() -> bool:
    from django.conf import settings

    return set(app.amqp.queues.consume_from) <= {settings.READING_QUEUE, settings.BACKUP_QUEUE}


def _lower_backend_priority(*, connection: Any, **_: Any) -> None:
    from local.process_priority import DATABASE_NICENESS, lower_priority

    lower_priority(niceness=DATABASE_NICENESS, process=connection.connection.info.backend_pid)


@worker_process_init.connect
@beat_embedded_init.connect
def die_with_worker(**_: Any) -> None:
    """The worker's children must not outlive it, and "die with your parent" is not inherited: each asks itself."""
    from billiard.process import current_process

    from local.embedded_services import set_parent_death_signal

    set_parent_death_signal(signal.SIGKILL)
    if current_process()._parent_pid not in (None, os.getppid()):
        os._exit(1)  # the worker died between fork and here


def requeue_unacknowledged(queue: str) -> None:
    """Make what a killed worker of this queue left unacknowledged due at once, instead of after the visibility timeout.

    Only right while no worker consumes this queue of this broker. Works on the keys of Celery's Redis transport: the
    next worker takes what is overdue in this index back into the queue when it starts. Does not wait for a broker
    that is away: raises redis.RedisError.
    """
    import redis
    from django.conf import settings
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    url = settings.CELERY_BROKER_URL.replace("redis+socket://", "unix://")
    with redis.Redis.from_url(url, socket_timeout=5, retry=Retry(NoBackoff(), 0)) as broker:
        for tag, message in broker.hgetall("unacked").items():
            if json.loads(message)[2] == queue:  # the routing key, which is the queue's name
                broker.zadd("unacked_index", {tag: 0}, xx=True)
        broker.delete("unacked_mutex")
