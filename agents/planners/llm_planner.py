"""The planner with a language model: the model says what comes next, in calls of tools or in the text of the answer."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from agents.journal.progress import Progress
from agents.models import MAX_EVENT_BYTES
from agents.planners.llm_messages import build_messages
from agents.planners.planner_types import Assignment, ModelTurn, RequestedToolCall
from agents.tools.registry import TOOLS
from knowledge.readers.text_cleaning import replace_unstorable
from lexic.errors import InvalidInput, LexicError
from lexic.http.strict_json import read_json
from querying.answering.citations import referenced_numbers
from querying.answering.untrusted_text import UntrustedTextDelimiter
from querying.answering.verified_text import cut_sentences
from querying.llm_interface import LLM, ProviderFailed, ToolCall, ToolDescription
from querying.types.token_usage import NO_USAGE, Usage, estimate_usage

# The calls of a turn are one event of the journal; what goes beyond is refused.
_MAX_TURN_BYTES = MAX_EVENT_BYTES // 2
_MAX_NAME_CHARACTERS = 64


class UnreadableArguments(InvalidInput):
    """The arguments of this call are no JSON object."""

    code = "invalid_tool_input"


class ArgumentsTooLong(InvalidInput):
    """The arguments of this turn's calls are too long."""

    code = "invalid_tool_input"
    hint = "Send less with each call, or in several turns."


class ModelPlanner:
    """`thinking_tokens` is how many the model may think with before each turn; 0 for none."""

    def __init__(
        self, assignment: Assignment, *, llm: LLM, fence: UntrustedTextDelimiter, thinking_tokens: int = 0
    ) -> None:
        self._assignment = assignment
        self._llm = llm
        self._fence = fence
        self._thinking_tokens = thinking_tokens

    async def next_step(self, progress: Progress, *, may_call: bool) -> ModelTurn:
        messages = build_messages(self._assignment, progress, fence=self._fence, may_call=may_call)
        pieces = self._llm.converse(
            messages, tools=tool_descriptions() if may_call else (), thinking_tokens=self._thinking_tokens
        )
        return _turn(pieces, messages, may_call=may_call)


def tool_descriptions() -> list[ToolDescription]:
    """All tools, as a model is told of them."""
    return [
        ToolDescription(name=tool.name, description=tool.description, parameters=tool.parameters)
        for tool in TOOLS.values()
    ]


def _turn(
    pieces: AsyncGenerator[str | ToolCall | Usage], messages: Sequence[Mapping[str, Any]], *, may_call: bool
) -> ModelTurn:
    async def sentences() -> AsyncGenerator[str]:
        """The sentences as they come. Only the end shows whether text without a source answers or introduces a call."""
        held: list[str] = []
        async with aclosing(cut_sentences(text())) as whole:
            async for sentence in whole:
                assert isinstance(sentence, str)
                held.append(sentence)
                while held and (not may_call or referenced_numbers(sentence)):
                    turn.said += held[0]
                    yield held.pop(0)
        while held and not turn.calls:
            turn.said += held[0]
            yield held.pop(0)

    async def text() -> AsyncGenerator[str | Usage]:
        asked: list[ToolCall] = []
        written: list[str] = []
        is_refused = False
        try:
            async with aclosing(pieces):
                async for piece in pieces:
                    if isinstance(piece, Usage):
                        turn.usage += piece
                    elif isinstance(piece, ToolCall):
                        asked.append(piece)
                    else:
                        written.append(piece)
                        yield replace_unstorable(piece)
        except ProviderFailed:
            is_refused = not written
            raise
        finally:
            turn.estimate = NO_USAGE if is_refused else estimate_usage(messages, written="".join(written))
        turn.calls = _read_calls(asked) if may_call else ()

    turn = ModelTurn(sentences=sentences())
    return turn


def _read_calls(asked: list[ToolCall]) -> tuple[RequestedToolCall, ...]:
    calls, room = [], _MAX_TURN_BYTES
    for call in asked:
        room -= len(call.arguments.encode(errors="replace"))
        name = replace_unstorable(call.name)[:_MAX_NAME_CHARACTERS]
        try:
            if room < 0:
                raise ArgumentsTooLong
            calls.append(RequestedToolCall(tool=name, input=_read_arguments(call.arguments)))
        except LexicError as error:
            calls.append(RequestedToolCall(tool=name, error=error.as_dict()))
    return tuple(calls)


def _read_arguments(arguments: str) -> Mapping[str, Any]:
    """Raises `InvalidJson`, `UnstorableText`, `UnreadableArguments`."""
    read = read_json(arguments.encode(errors="replace")) if arguments.strip() else {}
    if not isinstance(read, dict):
        raise UnreadableArguments(hint=f"They are: {json.dumps(read)[:100]}")
    return read
