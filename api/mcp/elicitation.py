"""A missing fact, asked of the client's user where the client can do that, and told to its model where it cannot.

Since revision 2026-07-28 the call ends with `input_required` and is made again with the answer. Before that the
server asks while the call waits, for which the connection has to go both ways: on stdio it does, over HTTP a server
that keeps no sessions has nowhere to receive the answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
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
from api.mcp.tools.tool import ToolCall
from querying.sanitize import sanitize

_INPUT_REQUIRED_SINCE = "2026-07-28"
# The one question of a round.
_INPUT_KEY = "fact"
# A tree is not deeper; a client that answers nonsense for ever is not asked for ever.
MAX_ROUNDS = 20


@dataclass(frozen=True, kw_only=True)
class ElicitedAnswer:
    """A call that comes back: the result that asked, and what was answered (None: nothing was)."""

    asked: dict[str, Any]
    answer: Any

    @property
    def body(self) -> dict[str, Any]:
        """What the question is sent with again: to the release that asked, as a newer one may be out by now."""
        followup = {"token": self.asked["clarification"]["token"], "answer": self.answer}
        return {"plugin": self.asked["release"], "followup": followup}


def can_require_input(context: RequestContext) -> bool:
    """Whether the call can end with `input_required`."""
    return _supports_forms(context) and is_version_at_least(context.protocol_version, _INPUT_REQUIRED_SINCE)


def can_elicit(context: RequestContext) -> bool:
    """Whether the client can be asked while the call waits."""
    return _supports_forms(context) and context.session.can_send_request


def require_input(asked: dict[str, Any]) -> InputRequiredResult:
    """`asked` is the answer that asks back, as JSON. It travels with the client, sealed by the server."""
    request = ElicitRequest(params=ElicitRequestFormParams(**_form_parameters(asked["clarification"])))
    return InputRequiredResult(input_requests={_INPUT_KEY: request}, request_state=json.dumps(asked))


def read_resumed_call(call: ToolCall) -> ElicitedAnswer | None:
    """What a client that was asked came back with; None for a call that was not."""
    if call.params.request_state is None:
        return None
    asked = json.loads(call.params.request_state)
    given = (call.params.input_responses or {}).get(_INPUT_KEY)
    answer = _accepted_value(given, asked["clarification"]["field"]) if isinstance(given, ElicitResult) else None
    return ElicitedAnswer(asked=asked, answer=answer)


async def elicit(call: ToolCall, asked: dict[str, Any]) -> ElicitedAnswer:
    """Asks now, and waits for the answer. A client that fails at it is one whose user declined."""
    clarification = asked["clarification"]
    try:
        given = await call.context.session.elicit_form(
            **_form_parameters(clarification), related_request_id=call.context.request_id
        )
    except (MCPError, ValidationError):
        return ElicitedAnswer(asked=asked, answer=None)
    return ElicitedAnswer(asked=asked, answer=_accepted_value(given, clarification["field"]))


def _supports_forms(context: RequestContext) -> bool:
    """A client that names no mode has forms: they were there first."""
    declared = context.session.client_capabilities
    modes = declared.elicitation if declared else None
    return modes is not None and (modes.form is not None or modes.url is None)


def _form_parameters(clarification: Mapping[str, Any]) -> dict[str, Any]:
    field, options = clarification["field"], clarification["options"]
    answer = {"type": "string", "title": sanitize(field)[:200], **({"enum": options} if options else {})}
    schema = {"type": "object", "properties": {field: answer}, "required": [field]}
    return {"message": clarification["question"], "requested_schema": schema}


def _accepted_value(given: ElicitResult, field: str) -> Any:
    """None when the user declined, or the client sent something else."""
    return (given.content or {}).get(field) if given.action == "accept" else None
