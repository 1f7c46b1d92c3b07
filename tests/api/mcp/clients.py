"""The official client, over real transports, driven from tests that are not asynchronous."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, ElicitRequestParams, ElicitResult, ErrorData

T = TypeVar("T")
Use = Callable[[Client], Awaitable[T]]

ROOT = Path(__file__).resolve().parents[3]
# A revision without handshakes, and those with one: what the client takes as `mode`.
CURRENT, PREVIOUS = "2026-07-28", "legacy"

WEATHER = "What is the minimum cover for a beam exposed to weather?"
UNCLEAR = "What is the nominal cover of a beam?"


@asynccontextmanager
async def http_client(server: str, key: str, *, mode: str = CURRENT, **options: Any):
    headers = {"Authorization": f"Bearer {key}"}
    async with httpx2.AsyncClient(trust_env=False, timeout=60, headers=headers) as http:
        transport = streamable_http_client(f"{server}/mcp", http_client=http)
        async with Client(transport, mode=mode, **options) as client:
            yield client


def over_http(server: str, key: str, use: Use[T], **options: Any) -> T:
    async def run() -> T:
        async with http_client(server, key, **options) as client:
            return await use(client)

    return anyio.run(run)


def call(server: str, key: str, tool: str, *, mode: str = CURRENT, **arguments: Any) -> CallToolResult:
    return over_http(server, key, lambda client: client.call_tool(tool, arguments), mode=mode)


def refusal(server: str, key: str, tool: str, **arguments: Any) -> ErrorData:
    """The error of the protocol that a call ends with."""

    async def use(client: Client) -> ErrorData:
        with pytest.raises(MCPError) as caught:
            await client.call_tool(tool, arguments)
        return caught.value.error

    return over_http(server, key, use)


def child(key: str, **environment: str) -> StdioServerParameters:
    """The command as a child, on the test's own database and services."""
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "django", "mcp"],
        env=surroundings(LEXIC_API_KEY=key, **environment),
        cwd=ROOT,
    )


def surroundings(**more: str) -> dict[str, str]:
    """Of a process that works on the test's database."""
    from django.db import connection

    database = {"LEXIC_TEST_DATABASE": str(connection.settings_dict["NAME"])}
    return {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings", **database, **more}


def over_stdio(parameters: StdioServerParameters, use: Use[T], *, mode: str = CURRENT, **options: Any) -> T:
    async def run() -> T:
        async with Client(parameters, mode=mode, **options) as client:
            return await use(client)

    return anyio.run(run)


class Person:
    """Somebody who answers what a client asks them, and remembers what it was."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)  # None: declines
        self.asked: list[ElicitRequestParams] = []

    async def __call__(self, context: Any, params: ElicitRequestParams) -> ElicitResult:
        self.asked.append(params)
        answer = self.answers.pop(0)
        if answer is None:
            return ElicitResult(action="decline")
        (field,) = params.requested_schema["properties"]
        return ElicitResult(action="accept", content={field: answer})


def text_of(result: CallToolResult) -> str:
    (text,) = (block.text for block in result.content if block.type == "text")
    return text


def links_of(result: CallToolResult) -> list[Any]:
    return [block for block in result.content if block.type == "resource_link"]


def data_of(result: CallToolResult) -> dict[str, Any]:
    assert not result.is_error, text_of(result)
    return result.structured_content


def error_of(result: CallToolResult) -> Mapping[str, Any]:
    assert result.is_error
    assert result.structured_content is None  # it would have to fit the tool's output schema
    told = result.meta["lexic/error"]
    assert text_of(result) == f"{told['error']} {told['hint']}".strip()
    return told


def until(holds: Callable[[], Any]) -> None:
    for _ in range(600):
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come to pass within half a minute")
