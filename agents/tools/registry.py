"""All tools, by name, and the one way to call them."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from agents.tools.contract_tools import CONTRACT_TOOLS
from agents.tools.draft_tools import EXTRACT_DOCUMENT_INFO, GENERATE_LEGAL_DOCUMENT
from agents.tools.sanitize_content import SANITIZE_CONTENT
from agents.tools.search_knowledge import SEARCH_KNOWLEDGE
from agents.tools.tool_types import CallOutcome, Tool, ToolContext
from lexic.errors import InvalidInput, LexicError, NotFound
from lexic.infrastructure_errors import outage_error

logger = logging.getLogger(__name__)

TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        SEARCH_KNOWLEDGE,
        *CONTRACT_TOOLS,
        EXTRACT_DOCUMENT_INFO,
        GENERATE_LEGAL_DOCUMENT,
        SANITIZE_CONTENT,
    )
}


class UnknownTool(NotFound):
    """There is no tool of this name."""

    code = "unknown_tool"

    def __init__(self) -> None:
        super().__init__(hint=f"There are: {', '.join(TOOLS)}.")


class InvalidToolInput(InvalidInput):
    """The input does not fit the tool's schema."""

    code = "invalid_tool_input"


class ToolFailed(LexicError):
    """The tool failed on our side."""

    code = "tool_failed"
    hint = "Continue without it."


async def execute_tool(name: str, tool_input: Mapping[str, Any], context: ToolContext) -> CallOutcome:
    """What the tool of this name gives for this input. An unknown name, an input that does not fit and a failure are
    results too, for the planner to go on from."""
    if (tool := TOOLS.get(name)) is None:
        return CallOutcome.from_error(UnknownTool())
    validator = Draft202012Validator(tool.parameters, format_checker=Draft202012Validator.FORMAT_CHECKER)
    if complaint := best_match(validator.iter_errors(tool_input)):
        place = ".".join(str(part) for part in complaint.absolute_path)
        said = complaint.message[:300]
        return CallOutcome.from_error(InvalidToolInput(hint=f"{place}: {said}" if place else said))
    try:
        output = await tool.call(context, tool_input)
    except LexicError as error:
        return CallOutcome.from_error(error)
    except Exception as error:
        logger.exception("the tool %s failed", name)
        return CallOutcome.from_error(outage_error(error) or ToolFailed())
    return CallOutcome(result=output.result, events=output.events, findings=output.findings)
