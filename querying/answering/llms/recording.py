"""Wraps a model and records the prompt that it was given, which the sandbox shows."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from querying.llm_interface import LLM, ToolCall, ToolDescription
from querying.types.prompt import Prompt
from querying.types.question import Turn
from querying.types.token_usage import Usage


class RecordingLLM(LLM):
    """Passes everything on to another model. `prompt` is what that one was given, None until then."""

    def __init__(self, llm: LLM) -> None:
        self._llm = llm
        self.prompt: Prompt | None = None
        self.name = llm.name
        self.is_offline = llm.is_offline
        self.yields_sentences = llm.yields_sentences
        self.can_extract_facts = llm.can_extract_facts
        self.can_plan = llm.can_plan
        self.can_converse = llm.can_converse

    def generate(self, prompt: Prompt) -> AsyncGenerator[str | Usage]:
        self.prompt = prompt
        return self._llm.generate(prompt)

    async def extract_facts(
        self, *, schema: Mapping[str, Any], question: str, context: Sequence[Turn]
    ) -> tuple[dict[str, Any], Usage]:
        return await self._llm.extract_facts(schema=schema, question=question, context=context)

    async def plan(
        self, *, instruction: str, schema: Mapping[str, Any], question: str
    ) -> tuple[dict[str, Any] | None, Usage]:
        return await self._llm.plan(instruction=instruction, schema=schema, question=question)

    def converse(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[ToolDescription] = (),
        thinking_tokens: int = 0,
    ) -> AsyncGenerator[str | ToolCall | Usage]:
        return self._llm.converse(messages, tools=tools, thinking_tokens=thinking_tokens)

    def with_model(self, model: str) -> RecordingLLM:
        return RecordingLLM(self._llm.with_model(model))

    def check_key(self) -> None:
        self._llm.check_key()
