"""Signatures after Standard Webhooks 1.0.0, so that every library of that name can check what we send.

The signature is HMAC-SHA256 over `{webhook-id}.{webhook-timestamp}.{body}` under the bytes that the secret holds:
`whsec_` and the base64 of 32 random bytes. The header lists one signature for each secret that is valid.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from lexic.errors import InvalidInput

SECRET_PREFIX = "whsec_"  # noqa: S105 -- the prefix that the standard gives to secrets
SECRET_BYTES = 32
TIMESTAMP_TOLERANCE = timedelta(minutes=5)
_ID_HEADER, _TIMESTAMP_HEADER, _SIGNATURE_HEADER = "webhook-id", "webhook-timestamp", "webhook-signature"
# More than any sender of ours lists; a header of a stranger may be longer.
_MAX_SIGNATURES = 10


class InvalidSignature(InvalidInput):
    """This is not signed with the secret of this webhook, or it was signed too long ago."""

    code = "invalid_signature"


def generate_webhook_secret() -> str:
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode("ascii")


def signature_headers(*, event_id: str, at: datetime, body: bytes, valid: Sequence[str]) -> dict[str, str]:
    """The three headers, with one signature for each of the valid secrets, the newest first."""
    timestamp = str(int(at.timestamp()))
    signatures = [_sign(event_id, timestamp, body, secret) for secret in valid]
    return {_ID_HEADER: event_id, _TIMESTAMP_HEADER: timestamp, _SIGNATURE_HEADER: " ".join(signatures)}


def verify_signature(
    payload: bytes, headers: Mapping[str, str], secret: str, *, now: datetime | None = None
) -> None:
    """Returns when the payload, exactly as it came, was signed with this secret within five minutes of `now`.

    `headers` may be written in any case. Raises `InvalidSignature`. Whoever receives should also remember each
    `webhook-id` for a while: an event comes again when an answer got lost.
    """
    given = {name.lower(): value for name, value in headers.items()}
    event_id, timestamp = given.get(_ID_HEADER, ""), given.get(_TIMESTAMP_HEADER, "")
    if not event_id or not _is_recent_timestamp(timestamp, now or datetime.now(UTC)):
        raise InvalidSignature
    expected = _sign(event_id, timestamp, payload, secret).encode()
    listed = given.get(_SIGNATURE_HEADER, "").split(" ", _MAX_SIGNATURES)[:_MAX_SIGNATURES]
    if not any(hmac.compare_digest(expected, one.encode("utf-8", "replace")) for one in listed):
        raise InvalidSignature


def _is_recent_timestamp(timestamp: str, now: datetime) -> bool:
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= 12):
        return False
    return abs(int(timestamp) - now.timestamp()) <= TIMESTAMP_TOLERANCE.total_seconds()


def _sign(event_id: str, timestamp: str, body: bytes, secret: str) -> str:
    signed = b".".join([event_id.encode("utf-8", "replace"), timestamp.encode("ascii"), body])
    digest = hmac.new(_secret_bytes(secret), signed, hashlib.sha256).digest()
    return "v1," + base64.b64encode(digest).decode("ascii")


def _secret_bytes(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    except (binascii.Error, ValueError) as error:
        raise InvalidSignature("This is no secret of a webhook.") from error
