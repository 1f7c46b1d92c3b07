"""The settings of Prometheus metrics, and who may read them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from environs import Env, ValidationError, validate

_LEAST_TOKEN_LENGTH = 16


def read_metrics(env: Env, *, folder: Path) -> dict[str, Any]:
    """`token` opens `/metrics` of the web processes; `port` is one of its own on which workers answer. Where neither is
    set nothing is counted. All processes of a machine write into `folder`."""
    return {
        "token": env.str("LEXIC_METRICS_TOKEN", "", validate=_validate_token),
        "port": env.int("LEXIC_METRICS_PORT", 0, validate=validate.Range(min=0, max=65_535)),
        "folder": folder,
    }


def _validate_token(token: str) -> None:
    if token and len(token) < _LEAST_TOKEN_LENGTH:
        raise ValidationError(f"It has at least {_LEAST_TOKEN_LENGTH} characters.")
