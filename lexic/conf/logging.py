"""The settings of the log: its content and format."""

from __future__ import annotations

from typing import Any

from environs import Env, validate

_FORMATTERS: dict[str, dict[str, str]] = {
    "text": {
        "()": "lexic.log_redaction.RedactingFormatter",
        "format": "%(levelname)s %(name)s%(request)s: %(message)s",
    },
    "json": {"()": "lexic.json_log.RedactingJsonFormatter"},
}


def read_logging(env: Env) -> dict[str, Any]:
    """The configuration of Python's logging: everything goes to standard error, in one form."""
    form = env.str("LEXIC_LOG_FORMAT", "text", validate=validate.OneOf(list(_FORMATTERS)))
    level = env.str("LEXIC_LOG_LEVEL", "INFO", validate=validate.OneOf(["DEBUG", "INFO", "WARNING", "ERROR"]))
    # The server's own lines show whole addresses, and come with a handler of their own.
    ours = {"handlers": ["console"], "propagate": False}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": _FORMATTERS[form]},
        "filters": {"lost_connections": {"()": "lexic.infrastructure_errors.LostConnectionFilter"}},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            "pdfminer": {"level": "ERROR"},
            "httpx2": {"level": "WARNING"},
            "mcp": {"level": "WARNING"},
            "django.request": {"filters": ["lost_connections"]},
            **dict.fromkeys(("uvicorn", "uvicorn.access", "django.server"), ours),
        },
    }
