"""Answers `ask_expert`, with the checks and the pipeline of `POST /api/v1/query`."""

from __future__ import annotations

from contextlib import aclosing
from typing import Any

from mcp.types import CallToolResult, ResourceLink
from mcp.types.version import is_version_at_least

from accounts.models import ApiKey
from api.mcp import elicitation, resources
from api.mcp.shielded_work import run_shielded
from api.mcp.tools.tool import McpToolCall, ToolResult, make_result
from api.query.questions import parse_question
from lexic.database import in_thread
from querying import json_format, pipeline
from querying.sanitize import sanitize
from querying.types.events import AnswerFailed, Done, Event, Failed, Status, Step
from querying.types.question import Question

_RESOURCE_LINKS_SINCE = "2025-06-18"
_PROGRESS_STEPS = list(Step)


async def run(call: McpToolCall) -> ToolResult:
    """An answer, a refusal, or a question back. Raises `LexicError`."""
    resumed = elicitation.read_resumed_call(call)
    if resumed and resumed.answer is None:  # nobody answered: the model gets the question instead
        return _answer_result(call, resumed.request.clarifying_answer)
    body = await _ask_plugin(call, call.key, resumed=resumed)
    for _ in range(elicitation.MAX_ROUNDS):
        request = elicitation.next_request(body, after=resumed)
        if request is None:
            break
        if elicitation.can_require_input(call.context):
            return elicitation.require_input(request)
        if not elicitation.can_elicit(call.context):
            break
        resumed = await elicitation.elicit(call, request)
        if resumed.answer is None:
            break
        # Each question to the expert counts, as it does where the client makes a new call for it.
        key = await in_thread(call.callers.resolve, call.context)
        body = await _ask_plugin(call, key, resumed=resumed)
    return _answer_result(call, body)


async def _ask_plugin(
    call: McpToolCall, key: ApiKey, *, resumed: elicitation.ElicitedAnswer | None = None
) -> dict[str, Any]:
    # The token of a question back carries the facts.
    body = call.arguments.model_dump(mode="json", exclude_none=True, exclude={"facts"} if resumed else None)
    body |= {"query": body.pop("question"), **(resumed.body if resumed else {})}
    question = await in_thread(parse_question, body, key=key)
    last = await run_shielded(_collect_answer(question, call))
    if isinstance(last, Failed):
        raise AnswerFailed(last)
    return json_format.answer_as_json(last.answer, question=question)


async def _collect_answer(question: Question, call: McpToolCall) -> Done | Failed:
    """The last event of the stream. Its steps are reported to the client as progress."""
    last: Event | None = None
    async with aclosing(pipeline.stream(question)) as events:
        async for last in events:
            if isinstance(last, Status):
                done = _PROGRESS_STEPS.index(last.step) + 1
                await call.context.session.report_progress(done, len(_PROGRESS_STEPS), last.message)
    assert isinstance(last, Done | Failed)
    return last


# --- What a model reads ---------------------------------------------------------------------------------


def _answer_result(call: McpToolCall, body: dict[str, Any]) -> CallToolResult:
    has_links = is_version_at_least(call.context.protocol_version, _RESOURCE_LINKS_SINCE)
    links = [_resource_link(citation, body["queryId"]) for citation in body["citations"]] if has_links else []
    return make_result(body, text=_answer_text(body), links=links)


def _answer_text(body: dict[str, Any]) -> str:
    parts = [body["answer"]]
    if clarification := body["clarification"]:
        parts += [f"- {' '.join(sanitize(option).split())}" for option in clarification["options"]]
        parts += ["", f"Ask again with the answer in `facts`, under the name “{clarification['field']}”."]
    if citations := body["citations"]:
        numbered = [(str(citation["id"]).removeprefix("src_"), citation) for citation in citations]
        parts += ["", "Sources:"]
        parts += [f"[Source {number}] {resources.format_place(citation)}" for number, citation in numbered]
    parts += body["why"]
    if body["nearest"]:
        parts += ["", "Nearest, though not evidence:"]
        parts += map(_near_line, body["nearest"])
    if body["outcome"] == "answered":
        parts += ["", f"Confidence: {body['confidence']}. Answered by {body['release']}."]
    return "\n".join(parts)


def _near_line(passage: dict[str, Any]) -> str:
    """Where a near passage stands, and its closest sentence where the key may read it."""
    quoted = f": “{' '.join(sanitize(passage['excerpt']).split())}”" if passage.get("excerpt") else ""
    return f"- {resources.format_place(passage)}{quoted}"


def _resource_link(citation: dict[str, Any], query_id: str) -> ResourceLink:
    return ResourceLink(
        uri=resources.citation_uri(query_id, citation["id"]),
        name=citation["id"],
        title=resources.format_place(citation),
        description=citation["excerpt"][:300],
        mime_type=resources.MIME_TYPE,
    )
