"""Where the steps of questions, runs and tasks are traced: a Langfuse, or any collector of OpenTelemetry."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from environs import Env, ValidationError

_CLOUD = "https://cloud.langfuse.com"
_PAIR = 'Write it as "name=value,name=value".'


def read_tracing(env: Env) -> dict[str, Any]:
    """`public_key` is empty where nothing goes to a Langfuse, `endpoint` where nothing goes to another collector;
    `content`: whether words of questions and answers go along.

    Raises what `env` raises, naming the variable, where only one of the two keys is set; `ValidationError` where a
    Langfuse and another collector are, or `headers` cannot be read.
    """
    names = ("LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY")
    is_on = any(env.str(name, "") for name in names)
    # Asked for without a default: the one that is missing is named.
    public_key, secret_key = (env.str(name) for name in names) if is_on else ("", "")
    endpoint = env.str("OTEL_EXPORTER_OTLP_ENDPOINT", "").rstrip("/")
    if endpoint and is_on:
        raise ValidationError(
            "OTEL_EXPORTER_OTLP_ENDPOINT and LANGFUSE_PUBLIC_KEY are both set: traces go to one place."
        )
    return {
        "public_key": public_key,
        "secret_key": secret_key,
        "host": (env.str("LANGFUSE_HOST", "") or _CLOUD).rstrip("/"),
        "endpoint": endpoint,
        "headers": _read_headers(env.str("OTEL_EXPORTER_OTLP_HEADERS", "")),
        "service_name": env.str("OTEL_SERVICE_NAME", "lexic"),
        "content": env.bool("LEXIC_TRACE_CONTENT", False),
    }


def _read_headers(text: str) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in text.split(",") if pair.strip()]
    if any(not name.strip() or not equals for name, equals, _ in pairs):
        raise ValidationError(f"OTEL_EXPORTER_OTLP_HEADERS cannot be read. {_PAIR}")
    return {name.strip(): unquote(value.strip()) for name, _, value in pairs}
