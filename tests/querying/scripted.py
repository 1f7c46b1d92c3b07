"""A language model that says what it is told to, piece by piece."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence

from querying.llm_interface import LLM
from querying.types.prompt import Prompt
from querying.types.token_usage import Usage


class Scripted(LLM):
    name = "scripted"
    is_offline = True

    def __init__(self, text: str, *, error: Exception | None = None, pause: float = 0.0) -> None:
        self._pieces: Sequence[str] = [text[i : i + 7] for i in range(0, len(text), 7)]
        self._error = error
        self._pause = pause
        self.prompts: list[Prompt] = []
        self.was_closed_early = False

    async def generate(self, prompt: Prompt) -> AsyncGenerator[str | Usage]:
        self.prompts.append(prompt)
        is_finished = False
        try:
            for piece in self._pieces:
                await asyncio.sleep(self._pause)
                yield piece
            if self._error:
                raise self._error
            yield Usage(prompt_tokens=3, completion_tokens=len(self._pieces))
            is_finished = True
        finally:
            self.was_closed_early = not is_finished and self._error is None
