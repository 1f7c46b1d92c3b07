"""A Lexic plugin as a function for OpenAI's tool calling, and what carries out the calls a model makes.

Works on the objects of the `openai` package and on plain dicts; the package itself is not needed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lexic_sdk import wording
from lexic_sdk.async_client import AsyncLexic
from lexic_sdk.client import Lexic
from lexic_sdk.errors import ConfigurationError, InvalidRequestError, LexicError
from lexic_sdk.expert import DESCRIPTION, FACTS_DESCRIPTION, QUERY_DESCRIPTION, Expert
from lexic_sdk.question import Facts, Options

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": QUERY_DESCRIPTION},
        "facts": {
            "type": "object",
            "description": FACTS_DESCRIPTION,
            "additionalProperties": {"type": ["string", "number", "boolean"]},
        },
    },
    "required": ["query"],
    "additionalProperties": False,
}

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class LexicFunction:
    """One plugin as one function. A model may be given several, each with a name of its own."""

    def __init__(
        self,
        *,
        plugin: str,
        name: str = "consult_expert",
        description: str = DESCRIPTION,
        api_key: str | None = None,
        base_url: str | None = None,
        query_options: Options | None = None,
        timeout: float = 120.0,
        allow_http: bool = False,
        client: Lexic | None = None,
        async_client: AsyncLexic | None = None,
    ) -> None:
        """Raises `ConfigurationError`."""
        if not _NAME.fullmatch(name):
            raise ConfigurationError("A function's name has at most 64 letters, digits, dashes and underscores.")
        self.plugin, self.name, self.description = plugin, name, description
        self._expert = Expert(
            api_key=api_key,
            base_url=base_url,
            query_options=query_options,
            timeout=timeout,
            allow_http=allow_http,
            client=client,
            async_client=async_client,
        )

    @property
    def schema(self) -> dict[str, Any]:
        """For `tools=[…]` of chat completions."""
        function = {"name": self.name, "description": self.description, "parameters": PARAMETERS}
        return {"type": "function", "function": function}

    @property
    def response_schema(self) -> dict[str, Any]:
        """For `tools=[…]` of the Responses API."""
        return {
            "type": "function",
            "name": self.name,
            "description": self.description,
            "parameters": PARAMETERS,
            "strict": False,
        }

    def set_plugin(self, plugin: str) -> LexicFunction:
        """Ask another plugin from now on, with the same key."""
        self.plugin = plugin
        return self

    def call(self, arguments: str | Mapping[str, Any]) -> str:
        """The result as JSON text; what went wrong as well, so that the model can correct itself."""
        try:
            query, facts = _parse_arguments(arguments)
            return wording.as_json(self._expert.ask(query, plugin=self.plugin, facts=facts))
        except LexicError as error:
            return _error_json(error)

    async def call_async(self, arguments: str | Mapping[str, Any]) -> str:
        """`call`, for async code."""
        try:
            query, facts = _parse_arguments(arguments)
            return wording.as_json(await self._expert.ask_async(query, plugin=self.plugin, facts=facts))
        except LexicError as error:
            return _error_json(error)


def run_tool_calls(calls: Iterable[Any] | None, *functions: LexicFunction) -> list[dict[str, Any]]:
    """Carries out the calls of a model's message that are for these functions; gives the messages to send back.

    `calls`: `message.tool_calls` of chat completions, or `response.output` of the Responses API. Calls for other
    functions are yours to carry out.
    """
    matching = _matching_calls(calls, functions)
    return [call.reply(function.call(call.arguments)) for call, function in matching]


async def run_tool_calls_async(calls: Iterable[Any] | None, *functions: LexicFunction) -> list[dict[str, Any]]:
    """`run_tool_calls`, for async code."""
    matching = _matching_calls(calls, functions)
    return [call.reply(await function.call_async(call.arguments)) for call, function in matching]


@dataclass(frozen=True, kw_only=True)
class _Call:
    """One call, of either API."""

    id: str
    name: str
    arguments: str
    is_of_responses: bool

    def reply(self, content: str) -> dict[str, Any]:
        if self.is_of_responses:
            return {"type": "function_call_output", "call_id": self.id, "output": content}
        return {"role": "tool", "tool_call_id": self.id, "content": content}


def _matching_calls(
    calls: Iterable[Any] | None, functions: tuple[LexicFunction, ...]
) -> list[tuple[_Call, LexicFunction]]:
    by_name = {function.name: function for function in functions}
    found = [call for call in map(_parse_call, calls or []) if call is not None]
    return [(call, by_name[call.name]) for call in found if call.name in by_name]


def _parse_call(item: Any) -> _Call | None:
    function = _get_value(item, "function")
    named = function if function is not None else item
    name, is_of_responses = _get_value(named, "name"), _get_value(item, "type") == "function_call"
    identifier = _get_value(item, "call_id" if is_of_responses else "id")
    if not isinstance(name, str) or not isinstance(identifier, str):
        return None
    arguments = _get_value(named, "arguments")
    return _Call(id=identifier, name=name, arguments=arguments or "", is_of_responses=is_of_responses)


def _get_value(item: Any, name: str) -> Any:
    return item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)


def _parse_arguments(arguments: str | Mapping[str, Any]) -> tuple[str, Facts | None]:
    """What a model wrote. Raises `InvalidRequestError`: models do get it wrong."""
    try:
        fields = json.loads(arguments) if isinstance(arguments, str) else arguments
    except (ValueError, RecursionError):
        raise InvalidRequestError("The arguments are not valid JSON.") from None
    query = fields.get("query") if isinstance(fields, Mapping) else None
    if not isinstance(query, str) or not query.strip():
        raise InvalidRequestError("The argument `query` is missing.")
    return query, fields.get("facts")


def _error_json(error: LexicError) -> str:
    return json.dumps({"error": error.message, "code": error.code, "hint": error.hint}, ensure_ascii=False)
