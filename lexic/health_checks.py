"""What the project itself adds to `manage.py doctor`, beside `lexic.diagnostics`: names in the environment that mean
something to other programs and nothing here."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from django.conf import settings

from lexic.diagnostics import CheckSkipped, register_check

# By variable, what to set instead.
_REPLACEMENTS = {
    "SHARED_DATABASE_URL": "one database holds everything, that of DATABASE_URL",
    "NEXTAUTH_SECRET": "set SECRET_KEY",
    "NEXTAUTH_URL": "set LEXIC_PUBLIC_URL",
    "AUTH_SECRET": "set SECRET_KEY",
    "ANTHROPIC_API_KEY": "set OPENAI_API_KEY, and OPENAI_BASE_URL to an address that speaks OpenAI's protocol",
}
# Of these the first that is set names the chat model, and the others have no effect.
_KEYS = ("OPENAI_API_KEY", "OPENROUTER_API_KEY")


@register_check("environment")
def check_environment() -> str:
    """Which variables have no effect. None of them keeps anything from working."""
    unused = [f"{name} has no effect: {instead}" for name, instead in unused_variables(os.environ)]
    return "; ".join(unused) or "no variables of other programs"


@register_check("tracing")
def check_tracing() -> str:
    """Where the steps of questions are sent, and whether their words are. Nothing is sent to see whether it works."""
    if not settings.TRACING["public_key"]:
        raise CheckSkipped("off; set LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY to trace in a Langfuse")
    words = "with" if settings.TRACING["content"] else "without"
    return f"to {settings.TRACING['host']}, {words} the words of questions that are not private"


def unused_variables(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The variables that are set and have no effect, each with what to set instead."""
    for name, instead in _REPLACEMENTS.items():
        if environment.get(name):
            yield name, instead
    winner = next((name for name in _KEYS if environment.get(name)), None)
    for name in ("OLLAMA_MODEL", "OLLAMA_BASE_URL"):
        if winner and environment.get(name):
            yield name, f"{winner} is set and counts more; unset it, or set OPENAI_BASE_URL and LEXIC_LLM_MODEL"
        elif name == "OLLAMA_BASE_URL" and environment.get(name) and not environment.get("OLLAMA_MODEL"):
            yield name, "set OLLAMA_MODEL as well"
