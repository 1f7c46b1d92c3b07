"""`get_source`: what stands around a citation."""

from __future__ import annotations

from pydantic import Field

from api.mcp.tools.schemas import DocumentPlaceResult
from api.mcp.tools.tool import McpTool, ToolArguments

_MAX_CONTEXT_LENGTH = 5000


class SourceArguments(ToolArguments):
    source: str = Field(
        max_length=2000,
        description="The `url` of a citation, the `url` or `uri` of a passage from search_sources, or a resource link "
        "of an answer (lexic://answers/…).",
    )
    characters: int = Field(
        default=1000, ge=0, le=_MAX_CONTEXT_LENGTH, description="How much to read before and after the words."
    )


class SourceResult(DocumentPlaceResult):
    excerpt: str = Field(description="The words themselves, as they stand in the document.")
    before: str | None = Field(default=None, description="Left out, as `after`, where only the excerpt may be read.")
    after: str | None = None
    standing: str | None = Field(default=None, description="Whether the document is in force today, where it says.")
    url: str
    uri: str | None = None


TOOL = McpTool(
    name="get_source",
    title="Read a source",
    description=(
        "Read the text around a citation or a passage, as it stands in the document, to check it or to see what comes "
        "before and after. Documents of an expert that is not yours show no more than the words that were cited."
    ),
    arguments=SourceArguments,
    result=SourceResult,
    work="api.mcp.handlers.get_source",
)
