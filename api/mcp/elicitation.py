"""Asks the client's user for a missing fact where the client can do that; else the client's model gets the question.

Since revision 2026-07-28 the call ends with an `InputRequiredResult` and is made again with the answer. Before that the
server asks while the call waits: on stdio over its streams, over HTTP in a session (`session_questions`).
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from mcp.shared.exceptions import MCPError
from mcp.types import (
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
)
from mcp.types.version import is_version_at_least
from pydantic import ValidationError

from api.mcp.principals import RequestContext
from api.mcp.session_questions import STREAM_IN_SCOPE, SessionStream
from api.mcp.sessions import has_forms
from api.mcp.tools.tool import McpToolCall
from querying.sanitize import sanitize

_INPUT_REQUIRED_SINCE = "2026-07-28"
# Each round asks one question, under this name.
_INPUT_KEY = "fact"
# No tree is deeper.
MAX_ROUNDS = 20
# How often a user is asked for one fact; then the client's model gets the question.
_MAX_ATTEMPTS = 2


@dataclass(frozen=True, kw_only=True)
class FactRequest:
    """A question back to the user: the result that asks it, and how often each fact has been asked for by now."""

    clarifying_answer: dict[str, Any]
    attempts: dict[str, int]

    @property
    def clarification(self) -> dict[str, Any]:
        clarification: dict[str, Any] = self.clarifying_answer["clarification"]
        return clarification

    @property
    def attempt(self) -> int:
        return self.attempts.get(self.clarification["field"], 1)

    @property
    def form(self) -> dict[str, Any]:
        """The parameters of the form that asks. The second time it says that the first answer could not be used."""
        field, options = self.clarification["field"], self.clarification["options"]
        answer = {"type": "string", "title": sanitize(field)[:200], **({"enum": options} if options else {})}
        schema = {"type": "object", "properties": {field: answer}, "required": [field]}
        unfit = "That answer is not one of the choices. " if options else "That answer could not be used. "
        message = (unfit if self.attempt > 1 else "") + self.clarification["question"]
        return {"message": message, "requested_schema": schema}


@dataclass(frozen=True, kw_only=True)
class ElicitedAnswer:
    """The user's answer to a question back (None: there is none)."""

    request: FactRequest
    answer: Any

    @property
    def body(self) -> dict[str, Any]:
        """What is sent with the question again. It goes to the release that asked: a newer one may exist by now."""
        followup = {"token": self.request.clarification["token"], "answer": self.answer}
        return {"plugin": self.request.clarifying_answer["release"], "followup": followup}


def next_request(body: dict[str, Any], *, after: ElicitedAnswer | None) -> FactRequest | None:
    """What the user is to be asked for next, `after` this answer; None where nothing is missing, or the user has been
    asked for the same fact often enough."""
    if not body["clarification"]:
        return None
    field = body["clarification"]["field"]
    attempts = dict(after.request.attempts) if after else {}
    attempts[field] = attempts.get(field, 0) + 1
    return FactRequest(clarifying_answer=body, attempts=attempts) if attempts[field] <= _MAX_ATTEMPTS else None


def can_require_input(context: RequestContext) -> bool:
    """Whether the call can end with an `InputRequiredResult`."""
    return _supports_forms(context) and is_version_at_least(context.protocol_version, _INPUT_REQUIRED_SINCE)


def can_elicit(context: RequestContext) -> bool:
    """Whether the client can be asked while the call waits."""
    return _supports_forms(context) and (context.session.can_send_request or _session_stream(context) is not None)


def require_input(request: FactRequest) -> InputRequiredResult:
    """The result that asks for the fact. The client carries the request (JSON), which the server seals."""
    form = ElicitRequestFormParams(**request.form)
    return InputRequiredResult(
        input_requests={_INPUT_KEY: ElicitRequest(params=form)}, request_state=json.dumps(asdict(request))
    )


def read_resumed_call(call: McpToolCall) -> ElicitedAnswer | None:
    """What the client sends after `require_input`; None for a call that is a new question."""
    if call.params.request_state is None:
        return None
    state = json.loads(call.params.request_state)  # one that an earlier version sealed counts in another way
    request = FactRequest(clarifying_answer=state["clarifying_answer"], attempts=state.get("attempts", {}))
    return _read_answer(request, (call.params.input_responses or {}).get(_INPUT_KEY))


async def elicit(call: McpToolCall, request: FactRequest) -> ElicitedAnswer:
    """Asks now, and waits for the answer. An error of the client counts as a user who declined."""
    context, call_id = call.context, call.context.request_id
    result: ElicitResult | None = None
    if stream := _session_stream(context):
        assert call_id is not None
        result = await stream.ask(request.form, call_id=call_id)
    else:
        with suppress(MCPError, ValidationError):
            result = await context.session.elicit_form(**request.form, related_request_id=call_id)
    return _read_answer(request, result)


def _session_stream(context: RequestContext) -> SessionStream | None:
    """The session on which a call over HTTP can ask its user; None outside of a session."""
    return context.request.scope.get(STREAM_IN_SCOPE) if context.request is not None else None


def _supports_forms(context: RequestContext) -> bool:
    return has_forms(context.session.client_capabilities)


def _read_answer(request: FactRequest, result: Any) -> ElicitedAnswer:
    """The answer is None when the user declined, or the client sent something else."""
    is_accepted = isinstance(result, ElicitResult) and result.action == "accept"
    answer = (result.content or {}).get(request.clarification["field"]) if is_accepted else None
    return ElicitedAnswer(request=request, answer=answer)
