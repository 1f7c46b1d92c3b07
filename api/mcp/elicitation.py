"""Asks the client's user for a missing fact where the client can do that; else the client's model gets the question.

Since revision 2026-07-28 the call ends with `input_required` and is made again with the answer. Before that the
server asks while the call waits. That needs a connection in both directions: stdio has one; over HTTP a server without
sessions has nowhere to receive the answer.
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
# Each round asks one question, under this name.
_INPUT_KEY = "fact"
# No tree is deeper, and a client that keeps sending useless answers is not asked for ever.
MAX_ROUNDS = 20


@dataclass(frozen=True, kw_only=True)
class ElicitedAnswer:
    """The answer to a question back: the result that asked it, and the user's answer (None: there is none)."""

    clarifying_answer: dict[str, Any]
    answer: Any

    @property
    def body(self) -> dict[str, Any]:
        """What is sent with the question again. It goes to the release that asked: a newer one may exist by now."""
        followup = {"token": self.clarifying_answer["clarification"]["token"], "answer": self.answer}
        return {"plugin": self.clarifying_answer["release"], "followup": followup}


def can_require_input(context: RequestContext) -> bool:
    """Whether the call can end with `input_required`."""
    return _supports_forms(context) and is_version_at_least(context.protocol_version, _INPUT_REQUIRED_SINCE)


def can_elicit(context: RequestContext) -> bool:
    """Whether the client can be asked while the call waits."""
    return _supports_forms(context) and context.session.can_send_request


def require_input(clarifying_answer: dict[str, Any]) -> InputRequiredResult:
    """The result that asks for the fact. The client carries `clarifying_answer` (JSON), which the server seals."""
    form = ElicitRequestFormParams(**_form_parameters(clarifying_answer["clarification"]))
    return InputRequiredResult(
        input_requests={_INPUT_KEY: ElicitRequest(params=form)}, request_state=json.dumps(clarifying_answer)
    )


def read_resumed_call(call: ToolCall) -> ElicitedAnswer | None:
    """What the client sends after `require_input`; None for a call that is a new question."""
    if call.params.request_state is None:
        return None
    before = json.loads(call.params.request_state)
    result = (call.params.input_responses or {}).get(_INPUT_KEY)
    answer = _accepted_value(result, before["clarification"]["field"]) if isinstance(result, ElicitResult) else None
    return ElicitedAnswer(clarifying_answer=before, answer=answer)


async def elicit(call: ToolCall, clarifying_answer: dict[str, Any]) -> ElicitedAnswer:
    """Asks now, and waits for the answer. An error of the client counts as a user who declined."""
    clarification = clarifying_answer["clarification"]
    try:
        result = await call.context.session.elicit_form(
            **_form_parameters(clarification), related_request_id=call.context.request_id
        )
    except (MCPError, ValidationError):
        return ElicitedAnswer(clarifying_answer=clarifying_answer, answer=None)
    answer = _accepted_value(result, clarification["field"])
    return ElicitedAnswer(clarifying_answer=clarifying_answer, answer=answer)


def _supports_forms(context: RequestContext) -> bool:
    """A client that names no mode has forms, which are the oldest mode."""
    declared = context.session.client_capabilities
    modes = declared.elicitation if declared else None
    return modes is not None and (modes.form is not None or modes.url is None)


def _form_parameters(clarification: Mapping[str, Any]) -> dict[str, Any]:
    field, options = clarification["field"], clarification["options"]
    answer = {"type": "string", "title": sanitize(field)[:200], **({"enum": options} if options else {})}
    schema = {"type": "object", "properties": {field: answer}, "required": [field]}
    return {"message": clarification["question"], "requested_schema": schema}


def _accepted_value(result: ElicitResult, field: str) -> Any:
    """None when the user declined, or the client sent something else."""
    return (result.content or {}).get(field) if result.action == "accept" else None
