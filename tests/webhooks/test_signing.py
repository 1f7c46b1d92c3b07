"""Signatures, checked by the specification's own algorithm written out, and the other way round."""

from __future__ import annotations

import base64
import hashlib
import hmac
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webhooks.signing import InvalidSignature, generate_webhook_secret, signature_headers, verify_signature

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECRET = "whsec_" + base64.b64encode(b"0123456789abcdef0123456789abcdef").decode()
OTHER = generate_webhook_secret()
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


def test_what_is_signed_is_verified_in_any_case_of_its_headers() -> None:
    verify_signature(BODY, signed(), SECRET, now=NOW)
    verify_signature(BODY, {name.title(): value for name, value in signed().items()}, SECRET, now=NOW)


@pytest.mark.parametrize("off", [timedelta(minutes=5), -timedelta(minutes=5)])
def test_clocks_may_differ_a_little(off: timedelta) -> None:
    verify_signature(BODY, signed(), SECRET, now=NOW + off)
    with pytest.raises(InvalidSignature):
        verify_signature(BODY, signed(), SECRET, now=NOW + off * 1.01)


@pytest.mark.parametrize(
    "changed",
    [
        {"webhook-id": "evt_2"},
        {"webhook-id": ""},
        {"webhook-timestamp": str(int(NOW.timestamp()) + 1)},
        {"webhook-timestamp": "soon"},
        {"webhook-timestamp": "²"},
        {"webhook-timestamp": "9" * 400},
        {"webhook-signature": ""},
        {"webhook-signature": "v1,"},
        {"webhook-signature": "v1,é\udc00"},
        {"webhook-signature": "v1a," + signed()["webhook-signature"][3:]},
    ],
)
def test_nothing_of_it_can_be_changed(changed: dict[str, str]) -> None:
    with pytest.raises(InvalidSignature):
        verify_signature(BODY, signed() | changed, SECRET, now=NOW)


@pytest.mark.parametrize("missing", ["webhook-id", "webhook-timestamp", "webhook-signature"])
def test_nothing_of_it_can_be_left_out(missing: str) -> None:
    with pytest.raises(InvalidSignature):
        verify_signature(
            BODY, {name: value for name, value in signed().items() if name != missing}, SECRET, now=NOW
        )


def test_the_body_is_taken_as_it_came() -> None:
    with pytest.raises(InvalidSignature):
        verify_signature(BODY + b" ", signed(), SECRET, now=NOW)


def test_while_a_secret_is_replaced_both_verify() -> None:
    both = signed(BODY, OTHER, SECRET)
    verify_signature(BODY, both, SECRET, now=NOW)
    verify_signature(BODY, both, OTHER, now=NOW)
    with pytest.raises(InvalidSignature):
        verify_signature(BODY, both, generate_webhook_secret(), now=NOW)


def test_what_is_no_secret_verifies_nothing() -> None:
    for secret in ("", "whsec_", "whsec_not base64!", "é"):
        with pytest.raises(InvalidSignature):
            verify_signature(BODY, signed(), secret, now=NOW)


@given(body=st.binary(max_size=200), other=st.binary(max_size=200))
def test_only_the_same_bytes_verify(body: bytes, other: bytes) -> None:
    verify_signature(body, signed(body), SECRET, now=NOW)
    if other != body:
        with pytest.raises(InvalidSignature):
            verify_signature(other, signed(body), SECRET, now=NOW)


@given(st.dictionaries(st.sampled_from(["webhook-id", "webhook-timestamp", "webhook-signature"]), st.text()))
def test_no_header_of_a_stranger_makes_it_fall_over(headers: dict[str, str]) -> None:
    with pytest.raises(InvalidSignature):
        verify_signature(BODY, headers, SECRET, now=NOW)
