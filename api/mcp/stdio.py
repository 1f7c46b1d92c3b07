"""The same server on the standard streams of one process, for a client that starts it."""

from __future__ import annotations

import anyio
from mcp.server.stdio import stdio_server

from api.mcp.principals import StdioCallerResolver
from api.mcp.server import build_server
from lexic.database import release_connections


def serve(secret: str) -> None:
    """Serves until the client closes the stream. Nothing but the protocol may be written to standard output meanwhile.

    Raises `InvalidKey`.
    """
    callers = StdioCallerResolver(secret)
    with release_connections():
        callers.key()

    async def serve_streams() -> None:
        server = build_server(callers)
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(serve_streams)
