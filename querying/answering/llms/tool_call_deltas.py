"""The tool calls of a streamed turn, put together from deltas as the many servers of OpenAI's protocol send them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from querying.answering.llms.json_replies import find_json_object
from querying.llm_interface import ToolCall


@dataclass
class _OpenCall:
    id: str = ""
    name: str = ""
    arguments: str = ""


class ToolCallDeltas:
    """Collects deltas as they come. A delta continues the last call of its index, or the last call where it has no
    index. Where its id or its name differs, it begins a new call."""

    def __init__(self) -> None:
        self._calls: list[_OpenCall] = []
        self._by_index: dict[int, _OpenCall] = {}

    def add(self, delta: Any) -> None:
        """Adds one delta of the client. Anything else is ignored."""
        function, index = getattr(delta, "function", None), getattr(delta, "index", None)
        call_id, name = _text_or_empty(getattr(delta, "id", None)), _text_or_empty(getattr(function, "name", None))
        arguments = _arguments(getattr(function, "arguments", None))
        if not (call_id or name or arguments):
            return
        last = self._calls[-1] if self._calls else None
        call = self._by_index.get(index) if isinstance(index, int) else last
        if call is None or _begins_another(call, call_id, name, arguments):
            call = _OpenCall()
            self._calls.append(call)
        if isinstance(index, int):
            self._by_index[index] = call
        call.id, call.name = call.id or call_id, call.name or name
        call.arguments += arguments

    def calls(self) -> list[ToolCall]:
        """In the order in which they began."""
        return [ToolCall(name=call.name, arguments=call.arguments) for call in self._calls]


def _begins_another(call: _OpenCall, call_id: str, name: str, arguments: str) -> bool:
    """Some servers give every call the same index, or no id; others repeat id and name with each piece of a call."""
    if call_id and call.id:
        return call_id != call.id
    if not (name and call.name):
        return False
    return name != call.name or (bool(arguments) and find_json_object(call.arguments) is not None)


def _arguments(value: Any) -> str:
    """Arguments are a text of JSON; some servers send the object itself."""
    return json.dumps(value) if isinstance(value, dict) else _text_or_empty(value)


def _text_or_empty(value: Any) -> str:
    return value if isinstance(value, str) else ""
