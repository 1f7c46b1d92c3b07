"""Checks of the project itself for `manage.py doctor`, beside `lexic.diagnostics`: environment variables that
have no effect here, because other programs use them or they are misspelled."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches

from django.conf import settings

from lexic import task_queues, tracing
from lexic.diagnostics import CheckSkipped, data_folders, existing_part, register_check, run_check
from lexic.gauges import register_gauge
from lexic.version import version

# For each variable, what to set instead.
_REPLACEMENTS = {
    "SHARED_DATABASE_URL": "one database holds everything, that of DATABASE_URL",
    "NEXTAUTH_SECRET": "set SECRET_KEY",
    "NEXTAUTH_URL": "set LEXIC_PUBLIC_URL",
    "AUTH_SECRET": "set SECRET_KEY",
    "ANTHROPIC_API_KEY": "set OPENAI_API_KEY, and OPENAI_BASE_URL to an address that speaks OpenAI's protocol",
}
# Settings that are read outside of `lexic.settings`, or only beside another one, and those of the clients in sdk/.
_READ_ELSEWHERE = {"LEXIC_PG_USER", "LEXIC_OIDC_NAME", "LEXIC_OIDC_URL", "LEXIC_API_KEY", "LEXIC_BASE_URL"}
_SIMILAR = 0.8  # by difflib
# The first of these that is set names the chat model. The others have no effect.
_KEYS = ("OPENAI_API_KEY", "OPENROUTER_API_KEY")


@register_check("environment")
def check_environment() -> str:
    """Lists the variables that have no effect. None of them is an error."""
    unused = [f"{name} has no effect: {instead}" for name, instead in unused_variables(os.environ)]
    return "; ".join(unused) or "no variables of other programs"


@register_check("tracing")
def check_tracing() -> str:
    """Says where traces are sent, and whether they contain words of questions. It sends nothing."""
    if not tracing.is_on():
        raise CheckSkipped("off; set OTEL_EXPORTER_OTLP_ENDPOINT, or LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY")
    words = "with" if settings.TRACING["content"] else "without"
    where = settings.TRACING["endpoint"] or settings.TRACING["host"]
    return f"to {where}, {words} the words of questions that are not private"


# Each of these takes milliseconds. The other checks ask workers, or build an embedder.
_MEASURED_CHECKS = ("database", "redis", "files", "disk")


@register_gauge("lexic_check_passed", "1 where what Lexic needs is as it should be, 0 where not.", label="check")
def measure_checks() -> dict[str, float]:
    return {name: float(run_check(name).status != "problem") for name in _MEASURED_CHECKS}


@register_gauge("lexic_queue_waiting_tasks", "Tasks that wait for a worker.", label="queue")
def measure_queues() -> dict[str, float] | None:
    return _ask_broker(task_queues.count_waiting)


@register_gauge("lexic_queue_oldest_seconds", "How long the oldest task of a queue has waited.", label="queue")
def measure_waiting() -> dict[str, float] | None:
    return _ask_broker(task_queues.oldest_waiting_seconds)


def _ask_broker(measure: Callable[[], dict[str, float]]) -> dict[str, float] | None:
    """None while the broker cannot be reached, which the log says once a minute by itself."""
    try:
        return measure()
    except task_queues.BrokerUnavailable:
        return None


@register_gauge("lexic_disk_free_bytes", "What is free where data and uploaded files are.", label="folder")
def measure_disk() -> dict[str, float]:
    return {name: shutil.disk_usage(existing_part(folder)).free for name, folder in data_folders().items()}


@register_gauge("lexic_version_info", "The version that answers.", label="version")
def measure_version() -> dict[str, float]:
    return {version(): 1}


def _unknown_variables(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """A misspelled setting is no setting: questions are kept for ever where LEXIC_KEEP_QUESTION_DAYS says 30."""
    known = settings.READ_VARIABLES | _READ_ELSEWHERE
    for name in sorted(environment):
        if name.startswith("LEXIC_") and name not in known:
            similar = get_close_matches(name, known, n=1, cutoff=_SIMILAR)
            yield name, f"did you mean {similar[0]}?" if similar else "no setting is called so"


def unused_variables(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The variables that are set and have no effect, each with what to set instead."""
    for name, instead in _REPLACEMENTS.items():
        if environment.get(name):
            yield name, instead
    yield from _unknown_variables(environment)
    winner = next((name for name in _KEYS if environment.get(name)), None)
    for name in ("OLLAMA_MODEL", "OLLAMA_BASE_URL"):
        if winner and environment.get(name):
            yield name, f"{winner} is set and counts more; unset it, or set OPENAI_BASE_URL and LEXIC_LLM_MODEL"
        elif name == "OLLAMA_BASE_URL" and environment.get(name) and not environment.get("OLLAMA_MODEL"):
            yield name, "set OLLAMA_MODEL as well"
