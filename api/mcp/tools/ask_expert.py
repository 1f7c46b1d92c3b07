"""`ask_expert`: a question to one plugin. The same checks and the same pipeline as `POST /api/v1/query`."""

from __future__ import annotations

from contextlib import aclosing
from datetime import date
from typing import Any, Literal

from mcp.types import CallToolResult, ResourceLink
from mcp.types.version import is_version_at_least
from pydantic import BaseModel, ConfigDict, Field

from accounts.models import ApiKey
from api.mcp import elicitation, resources
from api.mcp.threads import in_thread, run_shielded
from api.mcp.tools.answer_results import AnswerResult
from api.mcp.tools.tool import Tool, ToolArguments, ToolCall, ToolResult, make_result
from api.query.serializers import MAX_FACTS, MAX_QUESTION, MAX_TURNS, QuerySerializer
from api.query.views import read_question
from lexic.errors import LexicError
from querying import json_format, pipeline
from querying.sanitize import sanitize
from querying.types import Done, Event, Failed, Question, Status, Step

_RESOURCE_LINKS_SINCE = "2025-06-18"
_PROGRESS_STEPS = list(Step)
Scalar = str | int | float | bool


class TurnArgument(BaseModel):
    role: Literal["user", "assistant"]
    content: str


class OptionsArgument(BaseModel):
    model_config = ConfigDict(extra="forbid")

    citationMode: Literal["inline", "footnote", "off"] = Field(
        default="inline", description="inline keeps [Source N], footnote lists the sources below, off strips them."
    )
    maxSources: int | None = Field(default=None, ge=1, le=50, description="How many passages may be read.")
    includeDecisionPath: bool = True
    includeCitations: bool | None = Field(
        default=None, description="With citationMode off: give them all the same."
    )
    asOf: date | None = Field(default=None, description="Answer from what was in force on this day.")
    filters: dict[str, Any] | None = Field(
        default=None,
        description="Which documents may be read: docTypes, tagsAny, tagsAll, projects, statuses, dateFrom, dateTo, "
        "isPublic, excludeTemplates, documentIds.",
    )


class FollowupArgument(BaseModel):
    token: str
    answer: Scalar


class AskArguments(ToolArguments):
    plugin: str = Field(
        max_length=120, description="The expert: a slug from list_experts, or slug@1.2.0 for one version."
    )
    question: str = Field(
        default="",
        max_length=MAX_QUESTION,
        description="One question in whole sentences. May be left out with `followup` only.",
    )
    context: list[TurnArgument] | None = Field(
        default=None, max_length=MAX_TURNS, description="Earlier turns of the conversation, oldest first."
    )
    facts: dict[str, Scalar] | None = Field(
        default=None,
        max_length=MAX_FACTS,
        description='Facts you know that a decision may need, such as {"exposure": "severe"}.',
    )
    followup: FollowupArgument | None = Field(
        default=None, description="The answer to a question back: the token of its `clarification`, and the answer."
    )
    options: OptionsArgument | None = None


async def run(call: ToolCall) -> ToolResult:
    """An answer, a refusal, or a question back. Raises `LexicError`."""
    resumed = elicitation.read_resumed_call(call)
    if resumed is None:
        return await _resolve_clarifications(call, await _ask(call, call.key))
    if resumed.answer is None:  # nobody answered: the question goes to the model instead
        return _answer_result(call, resumed.asked)
    return await _resolve_clarifications(call, await _ask(call, call.key, answering=resumed))


async def _resolve_clarifications(call: ToolCall, body: dict[str, Any]) -> ToolResult:
    """The answer, once no fact is missing any more, or nobody can be asked for it."""
    if body["clarification"] and elicitation.can_require_input(call.context):
        return elicitation.require_input(body)
    if not elicitation.can_elicit(call.context):
        return _answer_result(call, body)
    for _ in range(elicitation.MAX_ROUNDS):
        if not body["clarification"]:
            break
        resumed = await elicitation.elicit(call, body)
        if resumed.answer is None:
            break
        # Each question to the expert counts, as it does where the client makes a new call for it.
        key = await in_thread(call.door.admit, call.context)
        body = await _ask(call, key, answering=resumed)
    return _answer_result(call, body)


async def _ask(
    call: ToolCall, key: ApiKey, *, answering: elicitation.ElicitedAnswer | None = None
) -> dict[str, Any]:
    body = call.arguments.model_dump(mode="json", exclude_none=True)
    body |= {"query": body.pop("question"), **(answering.body if answering else {})}
    question = await in_thread(_read_arguments, body, key)
    last = await run_shielded(_collect_answer(question, call))
    if isinstance(last, Failed):
        raise _PipelineFailed(last)
    return json_format.answer_as_json(last.answer, question=question)


def _read_arguments(body: dict[str, Any], key: ApiKey) -> Question:
    serializer = QuerySerializer(data=body)
    serializer.is_valid(raise_exception=True)
    return read_question(serializer.validated_data, key=key)


async def _collect_answer(question: Question, call: ToolCall) -> Done | Failed:
    """The stream collected, with its steps told to a client that wants to know."""
    last: Event | None = None
    async with aclosing(pipeline.stream(question)) as events:
        async for last in events:
            if isinstance(last, Status):
                done = _PROGRESS_STEPS.index(last.step) + 1
                await call.context.session.report_progress(done, len(_PROGRESS_STEPS), last.message)
    assert isinstance(last, Done | Failed)
    return last


class _PipelineFailed(LexicError):
    """The pipeline's own error."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(failed.error, code=failed.code, hint=failed.hint)
        self.status = failed.status


# --- What a model reads ---------------------------------------------------------------------------------


def _answer_result(call: ToolCall, body: dict[str, Any]) -> CallToolResult:
    has_links = is_version_at_least(call.context.protocol_version, _RESOURCE_LINKS_SINCE)
    links = [_resource_link(citation, body["queryId"]) for citation in body["citations"]] if has_links else []
    return make_result(body, text=_answer_text(body), links=links)


def _answer_text(body: dict[str, Any]) -> str:
    parts = [body["answer"]]
    if clarification := body["clarification"]:
        parts += [f"- {' '.join(sanitize(option).split())}" for option in clarification["options"]]
        parts += ["", f"Ask again with the answer in `facts`, under the name “{clarification['field']}”."]
    if body["citations"]:
        parts += ["", "Sources:"]
        parts += [
            f"[Source {_citation_number(citation)}] {resources.format_place(citation)}"
            for citation in body["citations"]
        ]
    parts += body["why"]
    if body["nearest"]:
        parts += ["", "Nearest, though not evidence:"]
        parts += [f"- {resources.format_place(passage)}" for passage in body["nearest"]]
    if body["outcome"] == "answered":
        parts += ["", f"Confidence: {body['confidence']}. Answered by {body['release']}."]
    return "\n".join(parts)


def _citation_number(citation: dict[str, Any]) -> str:
    return str(citation["id"]).removeprefix("src_")


def _resource_link(citation: dict[str, Any], query_id: str) -> ResourceLink:
    return ResourceLink(
        uri=resources.citation_uri(query_id, citation["id"]),
        name=citation["id"],
        title=resources.format_place(citation),
        description=citation["excerpt"][:300],
        mime_type=resources.MIME_TYPE,
    )


TOOL = Tool(
    name="ask_expert",
    title="Ask an expert",
    description=(
        "Ask one expert a question and get an answer in which every claim is cited. Use it for anything that one of "
        "the experts of list_experts knows about, before answering from memory. `outcome` tells what you got: "
        "`answered` (cite the [Source N] marks when you pass it on), `refused` (nothing verified was found: say so), "
        "or `clarify` (a fact is missing: ask your user the question, then call again with the same question and the "
        "answer in `facts`, or with `followup`). Ask one thing at a time, and state what you know in `facts`."
    ),
    arguments=AskArguments,
    result=AnswerResult,
    run=run,
)
