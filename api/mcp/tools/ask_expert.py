"""`ask_expert`: a question to one plugin."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from api.mcp.tools.schemas import AnswerResult, OptionsArgument
from api.mcp.tools.tool import McpTool, ToolArguments
from api.query.serializers import MAX_TURNS
from plugins.slugs import MAX_REFERENCE_LENGTH
from querying.forms import MAX_QUESTION_CHARACTERS
from trees.facts.fact_limits import MAX_FACTS

Scalar = str | int | float | bool


class TurnArgument(BaseModel):
    role: Literal["user", "assistant"]
    content: str


class FollowupArgument(BaseModel):
    model_config = ConfigDict(extra="forbid")

    token: str
    answer: Scalar


class AskArguments(ToolArguments):
    plugin: str = Field(
        max_length=MAX_REFERENCE_LENGTH,
        description="The expert: a slug from list_experts, or slug@1.2.0 for one version.",
    )
    question: str = Field(
        default="",
        max_length=MAX_QUESTION_CHARACTERS,
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
    options: OptionsArgument | None = None  # type: ignore[valid-type]  # made when this module is loaded

    @model_validator(mode="after")
    def _require_question(self) -> Self:
        if not self.question.strip() and self.followup is None:
            raise ValueError("question is missing. It may be left out with `followup` only.")
        return self


TOOL = McpTool(
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
    work="api.mcp.handlers.ask_expert",
)
