"""`ask_expert`: a question to one plugin. The same checks and the same pipeline as `POST /api/v1/query`."""

from __future__ import annotations

from contextlib import aclosing
from datetime import date
from typing import Any, Literal

from mcp.types import CallToolResult, ResourceLink
from mcp.types.version import is_version_at_least
from pydantic import BaseModel, ConfigDict, Field

from accounts.models import ApiKey
from api.mcp import asking_back, resources
from api.mcp.results import AnswerResult
from api.mcp.threads import apart, in_thread
from api.mcp.tool import Arguments, Call, Result, Tool, as_result
from api.query import read_question
from api.query_body import MAX_FACTS, MAX_QUESTION, MAX_TURNS, QuerySerializer
from lexic.errors import LexicError
from querying import pipeline, wire
from querying.plain import plain
from querying.types import Done, Event, Failed, Question, Status, Step

_LINKS_SINCE = "2025-06-18"
_PROGRESS = list(Step)
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


class AskArguments(Arguments):
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


async def run(call: Call) -> Result:
    """An answer, a refusal, or a question back. Raises `LexicError`."""
    resumed = asking_back.resumed(call)
    if resumed is None:
        return await _settled(call, await _asked(call, call.key))
    if resumed.answer is None:  # nobody answered: the question goes to the model instead
        return _shown(call, resumed.asked)
    return await _settled(call, await _asked(call, call.key, answering=resumed))


async def _settled(call: Call, body: dict[str, Any]) -> Result:
    """The answer, once no fact is missing any more, or nobody can be asked for it."""
    if body["clarification"] and asking_back.can_wait(call.context):
        return asking_back.input_required(body)
    if not asking_back.can_ask(call.context):
        return _shown(call, body)
    for _ in range(asking_back.MOST_ROUNDS):
        if not body["clarification"]:
            break
        resumed = await asking_back.ask(call, body)
        if resumed.answer is None:
            break
        # Each question to the expert counts, as it does where the client makes a new call for it.
        key = await in_thread(call.door.admit, call.context)
        body = await _asked(call, key, answering=resumed)
    return _shown(call, body)


async def _asked(call: Call, key: ApiKey, *, answering: asking_back.Resumed | None = None) -> dict[str, Any]:
    body = call.arguments.model_dump(mode="json", exclude_none=True)
    body |= {"query": body.pop("question"), **(answering.body if answering else {})}
    question = await in_thread(_question, body, key)
    last = await apart(_answered(question, call))
    if isinstance(last, Failed):
        raise _Broken(last)
    return wire.answer_as_json(last.answer, question=question)


def _question(body: dict[str, Any], key: ApiKey) -> Question:
    serializer = QuerySerializer(data=body)
    serializer.is_valid(raise_exception=True)
    return read_question(serializer.validated_data, key=key)


async def _answered(question: Question, call: Call) -> Done | Failed:
    """The stream collected, with its steps told to a client that wants to know."""
    last: Event | None = None
    async with aclosing(pipeline.stream(question)) as events:
        async for last in events:
            if isinstance(last, Status):
                done = _PROGRESS.index(last.step) + 1
                await call.context.session.report_progress(done, len(_PROGRESS), last.message)
    assert isinstance(last, Done | Failed)
    return last


class _Broken(LexicError):
    """The pipeline's own error."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(failed.error, code=failed.code, hint=failed.hint)
        self.status = failed.status


# --- What a model reads ---------------------------------------------------------------------------------


def _shown(call: Call, body: dict[str, Any]) -> CallToolResult:
    has_links = is_version_at_least(call.context.protocol_version, _LINKS_SINCE)
    links = [_link(citation, body["queryId"]) for citation in body["citations"]] if has_links else []
    return as_result(body, text=_text(body), links=links)


def _text(body: dict[str, Any]) -> str:
    parts = [body["answer"]]
    if clarification := body["clarification"]:
        parts += [f"- {' '.join(plain(option).split())}" for option in clarification["options"]]
        parts += ["", f"Ask again with the answer in `facts`, under the name “{clarification['field']}”."]
    if body["citations"]:
        parts += ["", "Sources:"]
        parts += [f"[Source {_number(citation)}] {resources.place(citation)}" for citation in body["citations"]]
    parts += body["why"]
    if body["nearest"]:
        parts += ["", "Nearest, though not evidence:"]
        parts += [f"- {resources.place(passage)}" for passage in body["nearest"]]
    if body["outcome"] == "answered":
        parts += ["", f"Confidence: {body['confidence']}. Answered by {body['release']}."]
    return "\n".join(parts)


def _number(citation: dict[str, Any]) -> str:
    return str(citation["id"]).removeprefix("src_")


def _link(citation: dict[str, Any], query_id: str) -> ResourceLink:
    return ResourceLink(
        uri=resources.citation_uri(query_id, citation["id"]),
        name=citation["id"],
        title=resources.place(citation),
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
