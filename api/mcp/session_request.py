"""A request in a session. The tool can ask the client's user on the stream of its answer; otherwise it works as without
one."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from anyio.abc import TaskStatus
from mcp.server.connection import Connection
from mcp.server.lowlevel import Server
from mcp.server.runner import serve_connection
from mcp.server.streamable_http import StreamableHTTPServerTransport
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.transport_context import TransportContext
from mcp.types import ClientCapabilities, ElicitationCapability, FormElicitationCapability

from api.mcp.session_questions import STREAM_IN_SCOPE, SessionStream
from api.mcp.sessions import Session

# What a client of a session can do, and all that a tool has to know of it.
_CAPABILITIES = ClientCapabilities(elicitation=ElicitationCapability(form=FormElicitationCapability()))
# The answer to a question comes in a request of its own, so the library itself has nobody to ask.
_CHANNEL = TransportContext(kind="streamable-http", can_send_request=False)


async def answer_in_session(
    server: Server[Any], session: Session, revision: str, scope: Any, receive: Any, send: Any
) -> None:
    """Answers one message of the revision, which has a handshake."""
    transport = StreamableHTTPServerTransport(mcp_session_id=None)
    async with server.lifespan(server) as state, anyio.create_task_group() as tasks:

        async def serve(*, task_status: TaskStatus[Any] = anyio.TASK_STATUS_IGNORED) -> None:
            async with transport.connect() as (incoming, outgoing):
                task_status.started(SessionStream(session=session, send=outgoing.send))
                dispatcher: JSONRPCDispatcher[TransportContext] = JSONRPCDispatcher(
                    incoming, outgoing, transport_builder=lambda _: _CHANNEL
                )
                connection = Connection.from_envelope(revision, None, _CAPABILITIES.model_dump(by_alias=True))
                await serve_connection(server, dispatcher, connection=connection, lifespan_state=state)

        async with _ended(transport):
            stream = await tasks.start(serve)
            await transport.handle_request({**scope, STREAM_IN_SCOPE: stream}, receive, send)


@asynccontextmanager
async def _ended(transport: StreamableHTTPServerTransport) -> AsyncGenerator[None]:
    """What serves the request ends with its transport, also where the client has gone."""
    try:
        yield
    finally:
        with anyio.CancelScope(shield=True):
            await transport.terminate()
