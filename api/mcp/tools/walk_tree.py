"""`walk_tree`: a decision tree of a plugin, followed by given facts alone."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from api.mcp.tools.schemas import StepResult
from api.mcp.tools.tool import McpTool, ToolArguments
from plugins.slugs import MAX_REFERENCE_LENGTH
from trees.facts.fact_limits import MAX_FACTS


class WalkArguments(ToolArguments):
    plugin: str = Field(
        max_length=MAX_REFERENCE_LENGTH, description="The expert: a slug from list_experts, or slug@1.2.0."
    )
    tree: str | None = Field(
        default=None, max_length=120, description="The name of the tree. May be left out where there is only one."
    )
    facts: dict[str, str | int | float | bool] = Field(
        default={}, max_length=MAX_FACTS, description='What is known, by name, such as {"exposure": "severe"}.'
    )


class FactResult(BaseModel):
    name: str
    type: Literal["choice", "number", "boolean", "text"]
    unit: str | None = None
    options: list[str] = []
    question: str | None = None


class TreeResult(BaseModel):
    name: str
    description: str
    facts: list[FactResult] = Field(description="What the tree decides by.")


class ActionResult(BaseModel):
    recommendation: str
    severity: Literal["info", "warning", "critical"] | None = None


class QuestionResult(BaseModel):
    question: str
    options: list[str] = Field(description="Empty where any answer will do.")
    field: str = Field(description="The name of the missing fact.")


class WalkResult(BaseModel):
    outcome: Literal["decided", "fact_missing", "no_decision", "tree_missing"] = Field(
        description="fact_missing: call again with the answer in `facts`. tree_missing: name one of `trees`. "
        "no_decision: the tree leads nowhere with these facts."
    )
    tree: str | None
    path: list[StepResult]  # type: ignore[valid-type]  # made when the module is loaded
    action: ActionResult | None
    question: QuestionResult | None
    unknownFacts: list[str] = Field(description="Facts that were given and that the tree does not know.")
    trees: list[TreeResult] = Field(description="The trees that this expert has.")
    release: str


TOOL = McpTool(
    name="walk_tree",
    title="Follow a decision tree",
    description=(
        "Follow a decision tree of an expert by facts you know, without searching documents: gives what it recommends "
        "and the steps that led there, or the next fact to ask for. It also tells which trees the expert has and which "
        "facts they take; call it without `tree` to see them. What it recommends is not cited: ask_expert is."
    ),
    arguments=WalkArguments,
    result=WalkResult,
    work="api.mcp.handlers.walk_tree",
)
