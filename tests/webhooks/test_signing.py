"""Signatures, checked by the specification's own algorithm written out and by the public library."""

from __future__ import annotations

import base64
import hashlib
import hmac
from datetime import UTC, datetime, timedelta, timezone
from importlib.metadata import version

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks import Webhook, WebhookVerificationError

from tests.clients import table
from webhooks.signing import generate_webhook_secret, signature_headers

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECRET = "whsec_" + base64.b64encode(b"0123456789abcdef0123456789abcdef").decode()
BODY = '{"type":"webhook.test","data":{"text":"é"}}'.encode()


def signed(body: bytes = BODY, *valid: str, at: datetime = NOW) -> dict[str, str]:
    return signature_headers(event_id="evt_1", at=at, body=body, valid=valid or [SECRET])


def test_it_is_what_the_specification_says() -> None:
    at = str(int(NOW.timestamp()))
    key = base64.b64decode(SECRET.split("_", 1)[1])
    digest = hmac.new(key, f"evt_1.{at}.".encode() + BODY, hashlib.sha256).digest()
    assert signed() == {
        "webhook-id": "evt_1",
        "webhook-timestamp": at,
        "webhook-signature": "v1," + base64.b64encode(digest).decode(),
    }


def test_a_moment_is_signed_alike_in_every_time_zone() -> None:
    assert signed(at=NOW.astimezone(timezone(timedelta(hours=5, minutes=30)))) == signed()


def test_the_example_that_the_public_libraries_test_with() -> None:
    """Message, key and signature as they stand in the test suites of the libraries of Standard Webhooks."""
    headers = signature_headers(
        event_id="msg_p5jXN8AQM9LWM0D4loKWxJek",
        at=datetime.fromtimestamp(1614265330, UTC),
        body=b'{"test": 2432232314}',
        valid=["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
    )
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_secret_is_32_random_bytes_of_its_own() -> None:
    assert generate_webhook_secret() != generate_webhook_secret()
    assert len(base64.b64decode(generate_webhook_secret().removeprefix("whsec_"), validate=True)) == 32


def test_while_a_secret_is_replaced_both_verify() -> None:
    new, former = generate_webhook_secret(), generate_webhook_secret()
    headers = signed(BODY, new, former, at=datetime.now(UTC))
    for secret in (new, former):
        Webhook(secret).verify(BODY, headers)
    with pytest.raises(WebhookVerificationError):
        Webhook(generate_webhook_secret()).verify(BODY, headers)
    table.record(
        "standardwebhooks (Python)", version=version("standardwebhooks"), interface="webhooks", tried=["verify"]
    )


@given(body=st.text(max_size=200), other=st.text(max_size=200))
def test_only_the_same_text_verifies(body: str, other: str) -> None:
    headers = signed(body.encode(), at=datetime.now(UTC))
    Webhook(SECRET).verify(body.encode(), headers, json_parse=False)
    if other != body:
        with pytest.raises(WebhookVerificationError):
            Webhook(SECRET).verify(other.encode(), headers, json_parse=False)
