from __future__ import annotations

from collections.abc import Iterator

import pytest
from lexic_sdk import Lexic

from plugins.models import Plugin
from tests.cover import charlies_key, key, plugin, published
from tests.servers import asgi_server

__all__ = ["charlies_key", "key", "plugin", "published"]


@pytest.fixture
def server(published: Plugin) -> Iterator[str]:
    with asgi_server() as url:
        yield url


@pytest.fixture
def lexic(server: str, key: str) -> Iterator[Lexic]:
    with Lexic(key, base_url=server, default_plugin="cover", max_retries=0) as lexic:
        yield lexic
