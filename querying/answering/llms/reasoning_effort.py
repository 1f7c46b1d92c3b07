"""How a model is asked to think before it writes: the servers of OpenAI's protocol have three words for it."""

from __future__ import annotations

from typing import Any

from django.conf import settings

# Where a provider knows three efforts in place of tokens: what is up to so many tokens is of this effort.
_EFFORTS = ((4_096, "low"), (16_384, "medium"))


def thinking_parameters(tokens: int) -> dict[str, Any]:
    """What the body of a request says, so that the model may think with so many tokens (`LEXIC_LLM_THINKING`)."""
    match settings.LEXIC_LLM_THINKING:
        case "reasoning":
            return {"reasoning": {"max_tokens": tokens}}
        case "thinking":
            return {"thinking": {"type": "enabled", "budget_tokens": tokens}}
        case "none":
            return {}
    return {"reasoning_effort": next((effort for most, effort in _EFFORTS if tokens <= most), "high")}
