"""Reads from the environment which language models are used: Lexic's own variables first, then a local embedding
server, then the variables that notes apps use for OpenRouter, then those of Ollama."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from environs import Env, validate

from lexic.conf.service_urls import read_http_url

OPENROUTER_BASE_URL = "https://openrouter.ai/api/v1"
# What notes apps use if their environment names no model. The vectors have 768 dimensions.
_OPENROUTER_CHAT_MODEL, _OPENROUTER_EMBEDDING_MODEL, _OPENROUTER_EMBEDDING_DIMENSIONS = (
    "openai/gpt-4o-mini",
    "qwen/qwen3-embedding-8b",
    768,
)
# The request parameter for reasoning: that of OpenAI, which most servers know, or that of the provider at this host.
_THINKING_PARAMETERS = ("reasoning_effort", "reasoning", "thinking", "none")
_THINKING_PARAMETER_OF = {"openrouter.ai": "reasoning", "api.anthropic.com": "thinking"}
# The default URL of each embedding server. Both speak OpenAI's protocol under /v1.
_EMBEDDING_SERVERS = {"ollama": "http://localhost:11434", "tei": "http://localhost:8080"}
# Ollama needs no key, but OpenAI's client does.
_OLLAMA_KEY = "no-key"


@dataclass(frozen=True, kw_only=True)
class LanguageModels:
    """The models of the site. `base_url` is None for OpenAI itself. `thinking` is the request parameter for reasoning.
    `embedder` embeds new knowledge bases. `embedding_server` is the base URL of embedders that are named `server:…`."""

    key: str
    base_url: str | None
    chat: str
    planner: str
    thinking: str
    embedder: str
    embedding_server: str


def read_language_models(env: Env) -> LanguageModels:
    """Reads the variables. The OPENROUTER_ variables count only without OPENAI_API_KEY, and OLLAMA_MODEL only without
    any key. Lexic's own variables override both."""
    key, at = env.str("OPENAI_API_KEY", ""), read_http_url(env, "OPENAI_BASE_URL")
    router = "" if key else env.str("OPENROUTER_API_KEY", "")
    chat = (router and env.str("OPENROUTER_CHAT_MODEL", "")) or (_OPENROUTER_CHAT_MODEL if router else "gpt-4o")
    planner = router and env.str("OPENROUTER_PLANNER_MODEL", "")
    embedding = (router and env.str("OPENROUTER_EMBEDDING_MODEL", "")) or _OPENROUTER_EMBEDDING_MODEL
    ollama = "" if key or router else env.str("OLLAMA_MODEL", "")
    ollama_url = _openai_url(read_http_url(env, "OLLAMA_BASE_URL") or _EMBEDDING_SERVERS["ollama"])
    chat = env.str("LEXIC_LLM_MODEL", "") or ollama or chat
    server = env.str("EMBEDDING_PROVIDER", "", validate=validate.OneOf(["", *_EMBEDDING_SERVERS]))
    model = env.str("EMBEDDING_MODEL", "bge-m3")
    dimensions = env.int("EMBEDDING_DIMENSIONS", 1024, validate=validate.Range(min=1, max=4000))
    base_url = at or (OPENROUTER_BASE_URL if router else ollama_url if ollama else None)
    url = read_http_url(env, "EMBEDDING_URL") or _EMBEDDING_SERVERS[server or "ollama"]
    return LanguageModels(
        key=key or router or (_OLLAMA_KEY if ollama else ""),
        base_url=base_url,
        chat=chat,
        planner=env.str("LEXIC_PLANNER_MODEL", "") or planner or chat,
        thinking=env.str("LEXIC_LLM_THINKING", "", validate=validate.OneOf(["", *_THINKING_PARAMETERS]))
        or _THINKING_PARAMETER_OF.get(urlsplit(base_url or "").hostname or "", "reasoning_effort"),
        embedder=env.str("LEXIC_EMBEDDER", "")
        or (f"server:{model}:{dimensions}" if server else "")
        or (f"openai:{embedding}:{_OPENROUTER_EMBEDDING_DIMENSIONS}" if router else "local"),
        embedding_server=_openai_url(url),
    )


def _openai_url(url: str) -> str:
    """The URL at which a local server speaks OpenAI's protocol."""
    return f"{url.rstrip('/').removesuffix('/v1')}/v1"
