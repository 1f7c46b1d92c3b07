"""A language model answers a prompt, piece by piece.

To add one: subclass `LLM`, write `generate`, and name the class in `querying/answering/llms/__init__.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lexic.errors import LexicError
from querying.types.evidence import Evidence
from querying.types.prompt import Prompt
from querying.types.question import Turn
from querying.types.token_usage import Usage


class ProviderFailed(LexicError):
    """The language model's provider did not answer as it should."""

    code = "provider_failed"
    status = 502
    hint = "Try again in a moment; if it happens again, the operator should look at the provider."

    def __init__(self, message: str | None = None, *, hint: str | None = None, detail: str = "") -> None:
        """`detail` is what the provider says of it, without secrets: for the author's record, not for the caller."""
        super().__init__(message, hint=hint)
        self.detail = detail


class ProviderBusy(ProviderFailed):
    """The language model's provider is overloaded or limits us right now."""

    code = "provider_busy"
    status = 503


class ProviderTimedOut(ProviderFailed):
    """The language model's provider took too long."""

    code = "provider_timeout"
    status = 504


class ProviderKeyMissing(ProviderFailed):
    """No key for the language model is set."""

    code = "provider_key_missing"
    status = 503
    hint = "Set OPENAI_API_KEY, or LEXIC_LLM=extractive."


@dataclass(frozen=True, kw_only=True)
class ToolDescription:
    """A tool as a model is told of it. `parameters` is the JSON schema of its input."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class ToolCall:
    """A call that a model asks for. `arguments` is what it wrote for them, which may be no JSON."""

    name: str
    arguments: str


# A model that thinks first has so many times as long for its answer, and the tools of its run as well.
THINKING_FACTOR = 1.5


class LLM(ABC):
    name: str
    # No network, no cost, deterministic.
    is_offline = False
    # Each piece it yields is one whole sentence with its marks, and nobody has to wait for one.
    yields_sentences = False
    # Can read the facts a tree needs out of free text.
    can_extract_facts = False
    # Can turn a question into a plan.
    can_plan = False
    # Can be offered tools, and go on with what they gave.
    can_converse = False

    @abstractmethod
    def generate(self, prompt: Prompt) -> AsyncGenerator[str | Usage]:
        """Yield the answer's text as it comes, and `Usage` where it is known. Raises `ProviderFailed`.

        Closing the iterator must stop the work at once: the caller has left.
        """

    async def generate_text(self, messages: Sequence[Mapping[str, str]]) -> tuple[str, Usage]:
        """All that it writes to these messages, which rest on no evidence, and its tokens. Raises `ProviderFailed`."""
        nothing = Evidence(passages=(), sentences=(), strength=0.0)
        prompt = Prompt(messages=tuple(messages), question=messages[-1]["content"], evidence=nothing)
        pieces, usage = [], Usage()
        async for piece in self.generate(prompt):
            if isinstance(piece, Usage):
                usage += piece
            else:
                pieces.append(piece)
        return "".join(pieces), usage

    async def extract_facts(
        self, *, schema: Mapping[str, Any], question: str, context: Sequence[Turn]
    ) -> tuple[dict[str, Any], Usage]:
        """Facts of the JSON schema that the text states, unchecked. Only called where `can_extract_facts`."""
        raise NotImplementedError

    async def plan(
        self, *, instruction: str, schema: Mapping[str, Any], question: str
    ) -> tuple[dict[str, Any] | None, Usage]:
        """A plan of the JSON schema, unchecked; None where what came cannot be read. Raises `ProviderFailed`. Only
        called where `can_plan`."""
        raise NotImplementedError

    def converse(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[ToolDescription] = (),
        thinking_tokens: int = 0,
    ) -> AsyncGenerator[str | ToolCall | Usage]:
        """One turn of a conversation in the shape of OpenAI's chat completions: its text as it comes, then the calls
        that it asks for, each whole, and `Usage` where it is known. `thinking_tokens` is how many it may think with
        before, 0 for none. Raises `ProviderFailed`; closing it stops the work at once. Only called where
        `can_converse`."""
        raise NotImplementedError

    def with_model(self, model: str) -> LLM:
        """The same provider with this model; `self` where the provider has only one."""
        return self

    def check_key(self) -> None:  # noqa: B027  # a model on this machine needs none
        """Raises `ProviderKeyMissing` where it needs a key and has none."""
