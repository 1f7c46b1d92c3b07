"""`search`: the documents that a key may read, in the form that research connectors expect."""

from __future__ import annotations

from pydantic import BaseModel, Field

from accounts.models import Capability
from api.mcp.tools.tool import McpTool, ToolArguments
from querying.forms import MAX_QUESTION_CHARACTERS


class QueryArguments(ToolArguments):
    query: str = Field(
        min_length=1, max_length=MAX_QUESTION_CHARACTERS, description="What to look for: a question or words."
    )


class FoundResult(BaseModel):
    id: str = Field(description="For fetch.")
    title: str = Field(description="Document, page and section.")
    url: str


class ResultList(BaseModel):
    results: list[FoundResult] = Field(description="Best first.")


TOOL = McpTool(
    name="search",
    title="Search all documents",
    description=(
        "Find passages in the documents of all experts that this key may read, best first. Read them with fetch. For "
        "answers whose claims are checked, use ask_expert."
    ),
    arguments=QueryArguments,
    result=ResultList,
    work="api.mcp.handlers.search",
    capabilities=(Capability.READ, Capability.AUTHOR),
)
