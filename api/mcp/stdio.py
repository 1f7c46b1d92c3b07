"""The MCP server on standard input and output, for a client that starts it as a process."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import anyio
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCError, jsonrpc_message_adapter
from pydantic import ValidationError

from api.mcp.http import BATCH_REVISION, NotSingleMessage, check_message, rpc_error
from api.mcp.principals import StdioCallerResolver
from api.mcp.server import build_server
from lexic.database import release_connections
from lexic.errors import LexicError
from lexic.http.strict_json import escape_surrogates, parse_json

# How many seconds a `server/discover` waits for the next message, which may show that the client has given it up.
_DISCOVERY_SECONDS = 0.1


def serve(secret: str) -> None:
    """Serves until the client closes a stream. Meanwhile nothing but the protocol may be written to standard output.

    Raises `InvalidKey`.
    """
    callers = StdioCallerResolver(secret)
    with release_connections():
        callers.key()

    async def serve_streams() -> None:
        server = build_server(callers)
        async with stdio_server() as (incoming, outgoing), anyio.create_task_group() as tasks:
            repaired, messages = anyio.create_memory_object_stream[Any](0)
            tasks.start_soon(_repair_messages, incoming, repaired, outgoing)
            await server.run(messages, outgoing, server.create_initialization_options())

    try:
        anyio.run(serve_streams)
    except* BrokenPipeError:
        # The client left without waiting for its answers. What is still buffered goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


async def _repair_messages(incoming: Any, repaired: Any, outgoing: Any) -> None:
    """Passes the messages on, and handles lines that the library cannot read and would ignore, so that the client does
    not wait for ever.

    Invalid characters become null characters, which the tools refuse. A batch becomes its messages if the revision has
    batches. Anything else is answered with an error.
    """
    revision = ""
    async with repaired:
        async for item in _without_abandoned_discovery(incoming):
            if isinstance(item, SessionMessage):
                if _method(item) == "initialize":
                    revision = (getattr(item.message, "params", None) or {}).get("protocolVersion", "")
                await repaired.send(item)
                continue
            try:
                values = _read_again(item, has_batches=revision == BATCH_REVISION)
            except LexicError as error:
                await outgoing.send(_error_message(error))
                continue
            for value in values:
                try:
                    await repaired.send(_parse_message(value))
                except (LexicError, ValidationError) as error:
                    await outgoing.send(_error_message(error))


async def _without_abandoned_discovery(incoming: Any) -> AsyncIterator[Any]:
    """The messages, without a `server/discover` that is followed at once by `initialize`.

    While this process started, the client gave up asking for the newest revision and begins an earlier one. The library
    would refuse that after it has answered the discovery.
    """
    async for item in incoming:
        following = None
        if _method(item) == "server/discover":
            with anyio.move_on_after(_DISCOVERY_SECONDS), suppress(anyio.EndOfStream):
                following = await incoming.receive()
        if _method(following) != "initialize":
            yield item
        if following is not None:
            yield following


def _method(item: Any) -> str:
    return getattr(item.message, "method", "") if isinstance(item, SessionMessage) else ""


def _read_again(error: Exception, *, has_batches: bool) -> list[Any]:
    """The messages of a line that the library could not read. Raises `InvalidJson`, `NotSingleMessage`."""
    line = error.errors()[0]["input"] if isinstance(error, ValidationError) else ""
    value = parse_json(line.encode()) if isinstance(line, str) else line
    if isinstance(value, list) and not has_batches:
        raise NotSingleMessage
    return value if isinstance(value, list) else [value]


def _parse_message(value: Any) -> SessionMessage:
    """Raises `InvalidJson` and `ValidationError`."""
    check_message(value)
    return SessionMessage(jsonrpc_message_adapter.validate_json(escape_surrogates(value), by_name=False))


def _error_message(error: LexicError | ValidationError) -> SessionMessage:
    ours = error if isinstance(error, LexicError) else NotSingleMessage()
    request_id = getattr(error, "request_id", None)
    return SessionMessage(JSONRPCError(jsonrpc="2.0", id=request_id, error=rpc_error(ours)))
