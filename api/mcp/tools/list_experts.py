"""`list_experts`: who can be asked with this key."""

from __future__ import annotations

from pydantic import BaseModel, Field

from accounts.models import Capability
from api.mcp.tools.tool import McpTool, ToolArguments

_MAX_EXPERTS = 100


class ExpertsArguments(ToolArguments):
    query: str = Field(default="", max_length=200, description="Words that must occur; left out: all experts.")
    limit: int = Field(default=50, ge=1, le=_MAX_EXPERTS)


class ExpertResult(BaseModel):
    slug: str = Field(description="The name to ask it by, as `plugin`.")
    name: str
    tagline: str
    domain: str
    version: str
    published: bool = Field(description="False: a draft that this key may ask.")


class ExpertsResult(BaseModel):
    experts: list[ExpertResult]
    total: int = Field(description="How many there are; more than were given: search for words.")


TOOL = McpTool(
    name="list_experts",
    title="List the experts",
    description=(
        "List the experts that can be asked with this key: slug (to be given as `plugin`), name, what they know, "
        "version. Call it first when you do not know whom to ask."
    ),
    arguments=ExpertsArguments,
    result=ExpertsResult,
    work="api.mcp.handlers.list_experts",
    capabilities=(Capability.QUERY, Capability.READ, Capability.AUTHOR),
)
