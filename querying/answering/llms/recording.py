"""Wraps a model and records the prompt that it was given, which the sandbox shows."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from querying.answering.llms.delegating import DelegatingLLM
from querying.llm_interface import LLM
from querying.types import Prompt, Usage


class RecordingLLM(DelegatingLLM):
    """`prompt` is what the model was given, None until then."""

    def __init__(self, llm: LLM) -> None:
        super().__init__(llm)
        self.prompt: Prompt | None = None

    def generate(self, prompt: Prompt) -> AsyncGenerator[str | Usage]:
        self.prompt = prompt
        return super().generate(prompt)
