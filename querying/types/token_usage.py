"""How many tokens a language model has read and written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_BYTES_PER_TOKEN = 3


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


def estimate_tokens(text: str) -> int:
    """The tokens of a text by its length: rather too many, whatever the model."""
    return len(text.encode(errors="replace")) // _BYTES_PER_TOKEN + 1


def estimate_usage(messages: Sequence[Mapping[str, Any]], *, written: str) -> Usage:
    """What a model has read and written so far, where it broke off before the provider said it."""
    read = sum(estimate_tokens(str(message.get("content") or "")) for message in messages)
    return Usage(prompt_tokens=read, completion_tokens=estimate_tokens(written))
