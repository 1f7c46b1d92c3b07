"""Where the steps of questions and runs are traced: a Langfuse, where its keys are set."""

from __future__ import annotations

from typing import Any

from environs import Env

_CLOUD = "https://cloud.langfuse.com"


def read_tracing(env: Env) -> dict[str, Any]:
    """`public_key` is empty where nothing is traced; `content`: whether words of questions and answers go along.

    Raises what `env` raises, naming the variable, where only one of the two keys is set.
    """
    names = ("LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY")
    is_on = any(env.str(name, "") for name in names)
    # Asked for without a default: the one that is missing is named.
    public_key, secret_key = (env.str(name) for name in names) if is_on else ("", "")
    return {
        "public_key": public_key,
        "secret_key": secret_key,
        "host": (env.str("LANGFUSE_HOST", "") or _CLOUD).rstrip("/"),
        "content": env.bool("LEXIC_TRACE_CONTENT", False),
    }
