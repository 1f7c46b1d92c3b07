"""Answers `ask_experts` as `POST /api/v1/collaborate` does, with the same checks."""

from __future__ import annotations

from functools import partial
from typing import Any

from accounts.models import ApiKey
from accounts.rate_limits import count_key_request
from api.collaborate.serializers import CollaborateSerializer
from api.fields import validated
from api.mcp import resources
from api.mcp.principals import KeyRateLimited
from api.mcp.shielded_work import run_shielded
from api.mcp.tools.tool import McpToolCall, ToolResult, make_result
from api.query.experts import read_experts
from collaboration import collaboration_json
from collaboration.collaboration_types import Expert, Mode
from collaboration.deliberation import run_collaboration
from lexic.database import in_thread
from querying.types.events import AnswerFailed, Failed


async def run(call: McpToolCall) -> ToolResult:
    """The result of the collaboration. Raises `LexicError`."""
    arguments = call.arguments.model_dump(mode="json", exclude_none=True)
    sent = {"query": arguments.pop("question"), "maxRounds": arguments.pop("max_rounds"), **arguments}
    body = validated(CollaborateSerializer(data=sent))
    experts = await in_thread(_read_experts, body, key=call.key)
    count = partial(in_thread, partial(count_more_questions, call.key))
    collaboration = run_collaboration(experts, mode=Mode(body["mode"]), max_rounds=body["maxRounds"], count=count)
    last = await run_shielded(collaboration)
    if isinstance(last, Failed):
        raise AnswerFailed(last)
    found = collaboration_json.collaboration_as_json(last)
    return make_result(found, text=_consensus_text(found["consensus"]))


def _read_experts(body: dict[str, Any], *, key: ApiKey) -> list[Expert]:
    experts = read_experts(body, body["experts"], key=key, field="experts")
    count_more_questions(key, len(experts) - 1)
    return experts


def count_more_questions(key: ApiKey, amount: int) -> None:
    """The call counts as one question; these are the others. Raises `KeyRateLimited`."""
    if amount and (allowance := count_key_request(key, amount=amount)).is_refused:
        raise KeyRateLimited(allowance)


def _consensus_text(consensus: dict[str, Any]) -> str:
    parts = [consensus["answer"]]
    if citations := consensus["citations"]:
        parts += ["", "Sources:"]
        parts += [
            f"[Source {str(one['id']).removeprefix('src_')}] {one['plugin']}: {resources.format_place(one)}"
            for one in citations
        ]
    return "\n".join(parts)
