"""The language models that can answer, by the name that the setting LEXIC_LLM has for them."""

from __future__ import annotations

from functools import cache

from django.conf import settings

from querying.llms.base import LLM
from querying.llms.extractive import Extractive
from querying.llms.openai import OpenAIChat

LLMS: dict[str, type[LLM]] = {"extractive": Extractive, "openai": OpenAIChat}


def get_llm(name: str | None = None) -> LLM:
    """The model of this name, one instance a process; by default the one of the settings."""
    return _made(name or settings.LEXIC_LLM)


@cache
def _made(name: str) -> LLM:
    return LLMS[name]()
