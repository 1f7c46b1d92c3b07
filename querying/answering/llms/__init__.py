"""The language models that can answer, by the name that the setting LEXIC_LLM has for them."""

from __future__ import annotations

from functools import cache

from django.conf import settings

from querying.answering.llms.extractive import Extractive
from querying.answering.llms.openai import OpenAIChat
from querying.llm_interface import LLM

LLMS: dict[str, type[LLM]] = {"extractive": Extractive, "openai": OpenAIChat}


def get_llm(name: str | None = None) -> LLM:
    """The model of this name (`openai:gpt-4o`, or that of a provider), one instance a process; by default the one of
    the settings."""
    return _cached_llm(name or settings.LEXIC_LLM)


def site_llm(model: str = "") -> LLM:
    """The one of the settings, asked for this model where one is named."""
    return get_llm().with_model(model) if model else get_llm()


@cache
def _cached_llm(name: str) -> LLM:
    provider, _, model = name.partition(":")
    return LLMS[provider]().with_model(model) if model else LLMS[provider]()
