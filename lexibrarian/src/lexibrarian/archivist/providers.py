"""The providers of models that are known by name; each speaks the same protocol as OpenAI's chat completions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Preset:
    """Where a provider is asked, with which model, and which variable holds the key; `""` means no key."""

    base_url: str
    model: str
    api_key_env: str


PRESETS = {
    "anthropic": Preset("https://api.anthropic.com/v1", "claude-haiku-4-5", "ANTHROPIC_API_KEY"),
    "openai": Preset("https://api.openai.com/v1", "gpt-5-mini", "OPENAI_API_KEY"),
    "openrouter": Preset("https://openrouter.ai/api/v1", "anthropic/claude-haiku-4.5", "OPENROUTER_API_KEY"),
    "ollama": Preset("http://localhost:11434/v1", "qwen3:8b", ""),
}
