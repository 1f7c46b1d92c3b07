"""The definition of an MCP tool: its arguments, its call, and how it reports an error."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from mcp.types import CallToolRequestParams, CallToolResult, InputRequiredResult, TextContent, ToolAnnotations
from mcp.types import Tool as ToolDefinition
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from accounts.models import ApiKey, Capability
from api.mcp.principals import CallerResolver, RequestContext
from lexic.errors import InvalidInput, LexicError
from lexic.http.error_handlers import validation_message
from lexic.http.strict_json import read_json

ERROR_META_KEY = "lexic/error"

ToolResult: TypeAlias = CallToolResult | InputRequiredResult


class ToolArguments(BaseModel):
    """The arguments of a tool. A name that it does not have is an error: a model should see that it misspelt it."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _parse_nested_fields(cls, arguments: Any) -> Any:
        """Some clients send an object or a list as a string of JSON."""
        if not isinstance(arguments, dict):
            return arguments
        return {
            name: read_json(value.encode()) if cls._is_nested_json(name, value) else value
            for name, value in arguments.items()
        }

    @classmethod
    def _is_nested_json(cls, name: str, value: Any) -> bool:
        field = cls.model_fields.get(name)
        is_nested = field is not None and field.annotation is not str
        return is_nested and isinstance(value, str) and value[:1] in ("{", "[")


@dataclass(frozen=True, kw_only=True)
class McpToolCall:
    """One call of a tool, by a key that may make it."""

    key: ApiKey
    arguments: Any  # of the tool's own kind
    params: CallToolRequestParams
    context: RequestContext
    callers: CallerResolver


@dataclass(frozen=True, kw_only=True)
class McpTool:
    """A tool that only reads, as clients see it. A key needs one of the `capabilities`.

    `work` names the module whose `run` does the work. It is loaded with the first call: a client that starts the server
    does not wait for all that answers questions.
    """

    name: str
    title: str
    description: str
    arguments: type[ToolArguments]
    result: type[BaseModel]
    work: str
    capabilities: tuple[Capability, ...] = (Capability.QUERY,)

    def definition(self) -> ToolDefinition:
        """The tool as `tools/list` shows it."""
        return ToolDefinition(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=self.arguments.model_json_schema(),
            output_schema=self.result.model_json_schema(),
            annotations=ToolAnnotations(
                title=self.title,
                read_only_hint=True,
                destructive_hint=False,
                idempotent_hint=True,
                open_world_hint=False,
            ),
        )

    async def run(self, call: McpToolCall) -> ToolResult:
        module = await asyncio.to_thread(importlib.import_module, self.work)
        result: ToolResult = await module.run(call)
        return result

    def read(self, arguments: Mapping[str, Any]) -> ToolArguments:
        """The arguments of a call. Raises `InvalidInput`."""
        try:
            return self.arguments.model_validate(dict(arguments))
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            place = ".".join(str(part) for part in first["loc"])
            message = first["msg"].removeprefix("Value error, ")
            if first["type"] == "extra_forbidden":
                message = "This is not known here."
            hint = f"The arguments of {self.name} are: {', '.join(self.arguments.model_fields)}."
            raise InvalidInput(validation_message({place: message}), hint=hint) from None


def make_result(body: Mapping[str, Any], *, text: str, links: list[Any] | None = None) -> CallToolResult:
    """A result: text for a model to read, and the same as data."""
    return CallToolResult(content=[TextContent(text=text), *(links or [])], structured_content=dict(body))


def make_error_result(error: LexicError) -> CallToolResult:
    """A result that says what went wrong: text for a model to read, and `{"error", "code", "hint"}` in `_meta`.

    It has no structured content: that would not fit the tool's own output schema, and clients that check it would
    throw the text away.
    """
    text = TextContent(text=error.message_with_hint)
    return CallToolResult(content=[text], is_error=True, _meta={ERROR_META_KEY: error.as_dict()})
