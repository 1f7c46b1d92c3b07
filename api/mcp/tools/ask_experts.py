"""`ask_experts`: one question to several plugins that hear each other."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from api.collaborate.serializers import CollaborationSerializer
from api.mcp.tools.ask_expert import Scalar
from api.mcp.tools.schemas import model_for
from api.mcp.tools.tool import McpTool, ToolArguments
from collaboration.collaboration_types import MAX_EXPERTS, MAX_ROUNDS, MIN_EXPERTS
from querying.forms import MAX_QUESTION_CHARACTERS
from trees.facts.fact_limits import MAX_FACTS


class RoomArguments(ToolArguments):
    experts: list[str] = Field(
        min_length=MIN_EXPERTS, max_length=MAX_EXPERTS, description="Slugs from list_experts, each once."
    )
    question: str = Field(
        min_length=1, max_length=MAX_QUESTION_CHARACTERS, description="One question in whole sentences."
    )
    mode: Literal["debate", "consensus", "review"] = Field(
        default="debate",
        description="debate: all answer, then regard what the others say; consensus: all answer once; review: the "
        "first answers, the others hold that against their documents.",
    )
    max_rounds: int = Field(default=MAX_ROUNDS, ge=1, le=MAX_ROUNDS, description="It may end earlier.")
    facts: dict[str, Scalar] | None = Field(
        default=None, max_length=MAX_FACTS, description="Facts you know, for all of them."
    )

    @model_validator(mode="after")
    def _require_question(self) -> Self:
        if not self.question.strip():
            raise ValueError("question is missing.")
        return self


TOOL = McpTool(
    name="ask_experts",
    title="Ask several experts",
    description=(
        "Ask two to five experts the same question and learn where they agree and where their figures or duties "
        "contradict each other. Use it where a question touches several fields or a second opinion matters; for one "
        "field use ask_expert. `consensus.answer` names who says what, with [Source N] marks to keep; "
        "`consensus.conflicts` has what does not go together: tell your user of it. Each expert counts as one question."
    ),
    arguments=RoomArguments,
    result=model_for(CollaborationSerializer),
    work="api.mcp.handlers.ask_experts",
)
