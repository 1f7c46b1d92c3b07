"""Where the language models are: the environment's own names first, then those of an embedding server on this network,
then those that notes chats on OpenRouter use, then those of an Ollama that chats."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from environs import Env, validate

OPENROUTER_BASE_URL = "https://openrouter.ai/api/v1"
# What a notes chat asks for where its environment names no model; its vectors have 768 dimensions.
_OPENROUTER_CHAT_MODEL, _OPENROUTER_EMBEDDING_MODEL, _OPENROUTER_EMBEDDING_DIMENSIONS = (
    "openai/gpt-4o-mini",
    "qwen/qwen3-embedding-8b",
    768,
)
# What asks a model to think: OpenAI's own parameter, which most servers know, or that of the provider at this host.
_THINKING_PARAMETERS = ("reasoning_effort", "reasoning", "thinking", "none")
_THINKING_PARAMETER_OF = {"openrouter.ai": "reasoning", "api.anthropic.com": "thinking"}
# Where each server of embeddings listens unless it is told otherwise. Both speak OpenAI's protocol under /v1.
_EMBEDDING_SERVERS = {"ollama": "http://localhost:11434", "tei": "http://localhost:8080"}
# Ollama asks for no key, and OpenAI's client wants one.
_OLLAMA_KEY = "no-key"


@dataclass(frozen=True, kw_only=True)
class LanguageModels:
    """`base_url` None is OpenAI itself. `thinking` names what asks a model there to think. `embedder` is what new
    knowledge bases are embedded by; `embedding_server` is the base URL of those that are named `server:…`."""

    key: str
    base_url: str | None
    chat: str
    planner: str
    thinking: str
    embedder: str
    embedding_server: str


def read_language_models(env: Env) -> LanguageModels:
    """The OPENROUTER_ variables count only where there is no OPENAI_API_KEY, and OLLAMA_MODEL only where there is no
    key at all; a name of ours wins over theirs."""
    key, at = env.str("OPENAI_API_KEY", ""), env.str("OPENAI_BASE_URL", "")
    router = "" if key else env.str("OPENROUTER_API_KEY", "")
    chat = (router and env.str("OPENROUTER_CHAT_MODEL", "")) or (_OPENROUTER_CHAT_MODEL if router else "gpt-4o")
    planner = router and env.str("OPENROUTER_PLANNER_MODEL", "")
    embedding = (router and env.str("OPENROUTER_EMBEDDING_MODEL", "")) or _OPENROUTER_EMBEDDING_MODEL
    ollama = "" if key or router else env.str("OLLAMA_MODEL", "")
    ollama_url = _openai_url(env.str("OLLAMA_BASE_URL", "") or _EMBEDDING_SERVERS["ollama"])
    chat = env.str("LEXIC_LLM_MODEL", "") or ollama or chat
    server = env.str("EMBEDDING_PROVIDER", "", validate=validate.OneOf(["", *_EMBEDDING_SERVERS]))
    model, dimensions = env.str("EMBEDDING_MODEL", "bge-m3"), env.int("EMBEDDING_DIMENSIONS", 1024)
    base_url = at or (OPENROUTER_BASE_URL if router else ollama_url if ollama else None)
    url = env.str("EMBEDDING_URL", "") or _EMBEDDING_SERVERS[server or "ollama"]
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
    """The address at which a local server speaks OpenAI's protocol."""
    return f"{url.rstrip('/').removesuffix('/v1')}/v1"
