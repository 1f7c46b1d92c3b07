"""A language model at the end of a real connection, which says turn by turn what a test wants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agents.planners.llm_messages import behaviour
from tests.openai_stub import Answer, Body, OpenAIStub, ToolCall, tool_call

Turn = Answer | Callable[[Body], Answer]


class ScriptedModel:
    """Its turns in their order; the last one again and again. `bodies` is what it was asked, without the questions for
    facts that searches ask a model, and those for verdicts of reviews, to which it says nothing."""

    def __init__(self, stub: OpenAIStub, *turns: Turn) -> None:
        self.turns = list(turns)
        self.bodies: list[Body] = []
        stub.answer = self.answer

    def answer(self, body: Body) -> Answer:
        if "tool_choice" in body:
            return None, [tool_call(body["tools"][0]["function"]["name"], {})]
        if behaviour().strip() not in body["messages"][0]["content"]:
            return "No verdict."
        self.bodies.append(body)
        turn = self.turns.pop(0) if len(self.turns) > 1 else self.turns[0]
        return turn(body) if callable(turn) else turn


def calls(*asked: tuple[str, dict[str, Any]]) -> Answer:
    """A turn that calls these tools."""
    made: list[ToolCall] = [
        tool_call(name, given, call_id=f"theirs_{number}") for number, (name, given) in enumerate(asked)
    ]
    return None, made


def search(query: str, **given: Any) -> Answer:
    return calls(("search_knowledge", {"query": query, **given}))


def told(body: Body, role: str) -> list[str]:
    """The contents of the messages of this role."""
    return [message["content"] for message in body["messages"] if message["role"] == role]
