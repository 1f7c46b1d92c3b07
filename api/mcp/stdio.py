"""The same server on the standard streams of one process, for a client that starts it."""

from __future__ import annotations

import anyio
from mcp.server.stdio import stdio_server

from api.mcp.doors import StdioDoor
from api.mcp.server import build
from lexic.database import release_connections


def serve(secret: str) -> None:
    """Until the client closes the stream. While it serves, nothing but the protocol reaches the standard output.

    Raises `UnusableKey`.
    """
    door = StdioDoor(secret)
    with release_connections():
        door.key()
    anyio.run(_serve, door)


async def _serve(door: StdioDoor) -> None:
    server = build(door)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())
