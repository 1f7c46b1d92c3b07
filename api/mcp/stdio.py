"""The same server on the standard streams of one process, for a client that starts it."""

from __future__ import annotations

import anyio
from mcp.server.stdio import stdio_server

from api.mcp.principals import StdioCallerResolver
from api.mcp.server import build_server
from lexic.database import release_connections


def serve(secret: str) -> None:
    """Until the client closes the stream. While it serves, nothing but the protocol reaches the standard output.

    Raises `UnusableKey`.
    """
    door = StdioCallerResolver(secret)
    with release_connections():
        door.key()
    anyio.run(_serve_streams, door)


async def _serve_streams(door: StdioCallerResolver) -> None:
    server = build_server(door)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
