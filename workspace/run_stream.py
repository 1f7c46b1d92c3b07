"""The events of a run as a page shows them: those of its journal by name and number, and at the end the whole turn."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from typing import Any

from asgiref.sync import sync_to_async

from accounts.signed_in_request import SignedInRequest
from agents.execution import follow_run
from agents.execution.follow_run import JournalEvent
from agents.models import AgentRun, EventKind
from lexic.database import release_connections
from querying.presentation import sse
from querying.types.question import Caller
from workspace.conversation_page import exchange_id, render_turn
from workspace.run_labels import running_label

logger = logging.getLogger(__name__)


async def stream_run(request: SignedInRequest, run: AgentRun) -> AsyncGenerator[bytes]:
    """The response's body. Closing it stops nothing: the run goes on in the background."""
    caller, asked = Caller(name="workspace", user_id=request.user.pk), exchange_id(run)
    async for event in sse.with_pings(follow_run.follow(run.pk, caller=caller)):
        yield sse.PING if event is None else sse.encode_named(event.kind, _shown_data(event), number=event.number)
    try:
        html = await sync_to_async(release_connections()(render_turn))(request, run.session, asked)
    except Exception:
        logger.exception("the turn of run %s could not be drawn", run.pk)
        html = ""
    yield sse.encode_named("turn", {"html": html})


def _shown_data(event: JournalEvent) -> dict[str, Any]:
    """The data of the event; of a step also what it is called."""
    is_step = event.kind in (EventKind.STEP_START, EventKind.STEP_END)
    return {**event.data, "message": running_label(event.data["tool"])} if is_step else event.data
