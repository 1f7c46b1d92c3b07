"""`fetch`: the text of what `search` has found, in the form that research connectors expect."""

from __future__ import annotations

from pydantic import BaseModel, Field

from accounts.models import Capability
from api.mcp.tools.tool import McpTool, ToolArguments


class IdArguments(ToolArguments):
    id: str = Field(max_length=2000, description="The id of a result of search, or the url of a citation.")


class FetchResult(BaseModel):
    id: str
    title: str = Field(description="Document, page and section.")
    text: str = Field(description="The passage with up to 5,000 characters before and after it, on its page.")
    url: str
    metadata: dict[str, str] = Field(description="document, documentId, page, section, and standing where it has one.")


TOOL = McpTool(
    name="fetch",
    title="Read a search result",
    description=(
        "Read the text of a result of search, as it stands in the document, with what comes before and after it on the "
        "same page. Cite its url."
    ),
    arguments=IdArguments,
    result=FetchResult,
    work="api.mcp.handlers.fetch",
    capabilities=(Capability.READ, Capability.AUTHOR),
)
