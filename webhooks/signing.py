"""Signatures after Standard Webhooks 1.0.0. A receiver checks them with any library of that name."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime

from standardwebhooks import Webhook

SECRET_PREFIX = "whsec_"  # noqa: S105 -- the prefix that the standard gives to secrets
_SECRET_BYTES = 32


def generate_webhook_secret() -> str:
    """A new secret: `whsec_` and the base64 of 32 random bytes."""
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode("ascii")


def signature_headers(*, event_id: str, at: datetime, body: bytes, valid: Sequence[str]) -> dict[str, str]:
    """The three headers of an event. `valid`: the secrets that are in force, newest first; each gives a signature."""
    at = at.astimezone(UTC)
    return {
        "webhook-id": event_id,
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": " ".join(Webhook(secret).sign(event_id, at, body.decode()) for secret in valid),
    }
