"""`search_sources`: the passages that an answer would be made from.

Everybody who may ask the plugin sees where a passage stands: a refusal names places too. Its text needs a key that may
read documents, of a person who may read this one; the pages that show sources have the same rule. So a plugin that is
published but not shared shows strangers no more here than its answers do.
"""

from __future__ import annotations

from pydantic import BaseModel, Field

from api.mcp.tools.schemas import DocumentPlaceResult
from api.mcp.tools.tool import McpTool, ToolArguments
from plugins.slugs import MAX_REFERENCE_LENGTH
from querying.forms import MAX_QUESTION_CHARACTERS


class SearchArguments(ToolArguments):
    plugin: str = Field(
        max_length=MAX_REFERENCE_LENGTH, description="The expert: a slug from list_experts, or slug@1.2.0."
    )
    query: str = Field(
        min_length=1, max_length=MAX_QUESTION_CHARACTERS, description="What to look for: a question or words."
    )
    limit: int = Field(default=8, ge=1, le=50, description="At most as many as the expert reads for one question.")


class PassageResult(DocumentPlaceResult):
    excerpt: str | None = Field(default=None, description="Left out where the text may not be read with this key.")
    url: str
    uri: str = Field(description="For get_source, or to read as a resource.")
    score: float = Field(description="0 to 1: half meaning, half words.")
    cosine: float | None = Field(default=None, description="How near in meaning, -1 to 1.")
    lexical: float = Field(description="The share of the words, by weight, 0 to 1.")


class SearchResult(BaseModel):
    passages: list[PassageResult] = Field(description="Best first.")
    textShown: bool = Field(description="Whether any text may be read with this key; if not, only places are given.")
    release: str


TOOL = McpTool(
    name="search_sources",
    title="Search an expert's sources",
    description=(
        "Find the passages of an expert's documents that belong to a question, best first, without making an answer of "
        "them. Use it to see what the documents hold, or where something stands; to answer a question use ask_expert, "
        "which checks what it says. Text is given where this key may read the documents, else only the places."
    ),
    arguments=SearchArguments,
    result=SearchResult,
    work="api.mcp.handlers.search_sources",
)
