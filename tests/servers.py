"""Lexic's real ASGI application on a real uvicorn, in a thread of the test's process."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import uvicorn

from tests.openai_stub import OpenAIStub


@contextmanager
def server_in_thread(config: uvicorn.Config) -> Iterator[int]:
    """The port of a server that runs in a thread."""
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server has not started"
        time.sleep(0.01)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(10)


@contextmanager
def asgi_server() -> Iterator[str]:
    """Its URL. Only for tests with committed data (`transaction=True`): requests run on other threads."""
    from lexic.asgi import application

    config = uvicorn.Config(
        application, port=0, log_level="warning", lifespan="off", timeout_graceful_shutdown=2, ws="none"
    )
    with server_in_thread(config) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def server() -> Iterator[str]:
    """The URL of a running server."""
    with asgi_server() as url:
        yield url


@pytest.fixture
def stub(settings: Any) -> Iterator[OpenAIStub]:
    """A language model that says what the test wants; every answer is made by it."""
    with OpenAIStub() as running:
        settings.LEXIC_LLM = "openai"
        settings.OPENAI_API_KEY = "sk-test"
        settings.OPENAI_BASE_URL = running.base_url
        yield running
