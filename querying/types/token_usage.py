"""How many tokens a language model has read and written."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Usage:
    """Tokens, as the provider counted them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def total(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        read = self.prompt_tokens + other.prompt_tokens
        written = self.completion_tokens + other.completion_tokens
        return Usage(prompt_tokens=read, completion_tokens=written)


NO_USAGE = Usage()
