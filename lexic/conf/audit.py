"""The settings of the audit log: how long it is kept, and what it records."""

from __future__ import annotations

from typing import Any

from environs import Env, ValidationError

# The database refuses to delete entries that are younger (`audit/sql/append_only.sql`).
LEAST_DAYS = 30


def read_audit(env: Env) -> dict[str, Any]:
    """`keep_days`: after how many days entries are deleted, 0 for never; `addresses`: whether entries have the network
    address that a request came from."""
    return {
        "keep_days": env.int("LEXIC_KEEP_AUDIT_DAYS", 0, validate=_validate_days),
        "addresses": env.bool("LEXIC_AUDIT_ADDRESSES", False),
    }


def _validate_days(days: int) -> None:
    if days and not LEAST_DAYS <= days <= 36_500:
        raise ValidationError(f"It is 0 (kept for ever), or {LEAST_DAYS} to 36500 days.")
