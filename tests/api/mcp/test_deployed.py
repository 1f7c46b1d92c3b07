"""As it is deployed: uvicorn as a process of its own, with and without its lifespan, and with two workers."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version

import anyio
import httpx2
import pytest

from plugins.models import Plugin
from tests.api.mcp.clients import CURRENT, PREVIOUS, ROOT, UNCLEAR, Person, data_of, http_client, surroundings, until
from tests.clients import table

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]


@pytest.fixture(params=["--workers 2 --lifespan off", "--lifespan auto"])
def deployed(request: pytest.FixtureRequest, published: Plugin) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = ["--port", str(port), "--timeout-graceful-shutdown", "5", *request.param.split()]
    process = subprocess.Popen(
        [sys.executable, "-m", "uvicorn", "lexic.asgi:application", *options], cwd=ROOT, env=surroundings()
    )
    try:
        until(lambda: is_up(f"http://127.0.0.1:{port}"))
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)


def is_up(url: str) -> bool:
    try:
        return httpx2.get(f"{url}/healthz", trust_env=False, timeout=20).status_code == 200
    except httpx2.TransportError:
        return False


def test_a_question_back_can_be_answered_by_any_process_in_either_revision(deployed: str, key: str):
    """Each call is three requests on connections of their own: some meet the other worker."""

    async def one(mode: str) -> tuple[str, bool]:
        async with http_client(deployed, key, mode=mode, elicitation_callback=Person("severe")) as client:
            told = await client.call_tool("ask_expert", {"plugin": "cover", "question": UNCLEAR})
            return mode, "45 mm" in data_of(told)["answer"]

    async def run() -> list[tuple[str, bool]]:
        return [await one(mode) for mode in (CURRENT, PREVIOUS) for _ in range(4)]

    assert anyio.run(run) == [(CURRENT, True)] * 4 + [(PREVIOUS, True)] * 4
    tried = ("ask_expert", "elicitation")
    table.record("mcp (Python)", version=version("mcp"), interface="MCP", tried=tried)
