from __future__ import annotations

from collections.abc import Iterator

import pytest

from accounts.models import ApiKey, User
from lexic.celery import app
from plugins.models import Plugin
from tests.cover import plugin, published
from tests.servers import asgi_server

__all__ = ["plugin", "published"]


@pytest.fixture
def server(published: Plugin) -> Iterator[str]:
    """It is its own worker, for batches."""
    app.conf.task_always_eager = True
    try:
        with asgi_server() as url:
            yield url
    finally:
        app.conf.task_always_eager = False


@pytest.fixture
def secret(alice: User) -> str:
    """A key that may read documents."""
    capabilities = ["query", "read"]
    return ApiKey.objects.issue(owner=alice, name="agent", capabilities=capabilities, per_minute=1000)[1]
