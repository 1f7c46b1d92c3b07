"""What a language model is given to write an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from querying.types.evidence import Evidence, Sentence


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """What a language model is given. The extractive answerer reads the values, a chat model the messages."""

    messages: tuple[Mapping[str, str], ...]
    question: str
    evidence: Evidence
    recommendation: str = ""
    support: Sentence | None = None  # what bears the recommendation out, for an answerer that quotes
