"""A Redis of a test's own, to be stopped, frozen and killed."""

from __future__ import annotations

import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lexic import celery, publish_task, redis_cache
from local.embedded_services import Redis, stop_service, wait_until_ready


class OwnRedis:
    """The built-in Redis in a folder of its own."""

    def __init__(self, root: Path) -> None:
        self.service = Redis(root)
        self.url = f"unix://{self.service.socket}?db=1"
        self.broker_url = f"redis+socket://{self.service.socket}"
        self.start()

    def start(self) -> None:
        self.service.prepare()
        self.process = self.service.spawn(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until_ready(self.service, self.process)

    def freeze(self) -> None:
        """It takes connections and never answers."""
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


def forget_outages() -> None:
    for outage in (redis_cache.outage, publish_task.broker_outage):
        outage.end()
        outage._warned_at = float("-inf")
    redis_cache.in_process.clear()


@pytest.fixture
def own_redis(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[OwnRedis]:
    """What caches and counts in this test is this Redis, and what is sent to workers goes there."""
    with tempfile.TemporaryDirectory(prefix="lxr-", dir="/tmp") as folder:
        redis = OwnRedis(Path(folder))
        settings.CACHE_URL = redis.url
        settings.CACHES = {**settings.CACHES, "default": {**settings.CACHES["default"], "LOCATION": redis.url}}
        forget_outages()
        # In this order: the second is read from the first, so its former value has to be remembered before.
        monkeypatch.setattr(celery.app.conf, "broker_write_url", redis.broker_url)
        monkeypatch.setattr(celery.app.conf, "broker_url", redis.broker_url)
        _forget_connections()
        yield redis
        redis.thaw()
        stop_service(redis.service, redis.process)
        _forget_connections()
        forget_outages()


def _forget_connections() -> None:
    """The next message opens a connection to the broker that is set by then."""
    celery.app._pool = celery.app.amqp._producer_pool = None
