"""The answerer that needs no model: it quotes the sentences that answer, and so cannot make anything up."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from querying.answering.llms.extractive.composition import compose
from querying.llm_interface import LLM
from querying.types.prompt import Prompt
from querying.types.token_usage import Usage

__all__ = ["Extractive", "compose"]


class Extractive(LLM):
    name = "extractive"
    is_offline = True
    yields_sentences = True

    async def generate(self, prompt: Prompt) -> AsyncGenerator[str | Usage]:
        for piece in compose(prompt):
            yield piece
        yield Usage()
