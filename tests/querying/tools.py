"""A tool, as a model is told of it."""

from __future__ import annotations

from querying.llm_interface import ToolDescription

SEARCH = ToolDescription(
    name="search", description="Search.", parameters={"type": "object", "properties": {"q": {"type": "string"}}}
)
