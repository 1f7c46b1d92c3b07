"""Reads from the environment where traces are sent: to Langfuse, or to any collector of OpenTelemetry."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from environs import Env, ValidationError

from lexic.conf.service_urls import read_http_url

_CLOUD = "https://cloud.langfuse.com"
_PAIR = 'Write it as "name=value,name=value".'


def read_tracing(env: Env) -> dict[str, Any]:
    """The settings of tracing. `public_key` is empty without Langfuse, and `endpoint` without another collector.
    `content` says whether traces contain the words of questions and answers.

    If only one of the two Langfuse keys is set, this raises what `env` raises, with the name of the missing variable.
    Raises `ValidationError` if both Langfuse and another collector are set, or if `headers` cannot be read.
    """
    names = ("LANGFUSE_PUBLIC_KEY", "LANGFUSE_SECRET_KEY")
    is_on = any(env.str(name, "") for name in names)
    # Read without a default, so that the error names the missing one.
    public_key, secret_key = (env.str(name) for name in names) if is_on else ("", "")
    endpoint = read_http_url(env, "OTEL_EXPORTER_OTLP_ENDPOINT").rstrip("/")
    if endpoint and is_on:
        raise ValidationError(
            "OTEL_EXPORTER_OTLP_ENDPOINT and LANGFUSE_PUBLIC_KEY are both set: traces go to one place."
        )
    return {
        "public_key": public_key,
        "secret_key": secret_key,
        "host": read_http_url(env, "LANGFUSE_HOST", _CLOUD).rstrip("/"),
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
