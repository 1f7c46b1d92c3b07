"""What a receiver needs, with nothing but the standard library: the very lines that the documentation shows."""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
from collections.abc import Mapping

import pytest
from django.utils import timezone

from tests.webhooks.receiver import Receiver
from webhooks import manage_webhooks, tasks
from webhooks.models import Webhook

pytestmark = pytest.mark.django_db


def is_from_lexic(body: bytes, headers: Mapping[str, str], secret: str) -> bool:
    sent_at = headers["webhook-timestamp"]
    if not sent_at.isdigit() or abs(time.time() - int(sent_at)) > 300:
        return False
    signed = f"{headers['webhook-id']}.{sent_at}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return any(hmac.compare_digest(expected, one) for one in headers["webhook-signature"].split())


def test_a_receiver_without_a_library_knows_our_events(webhook: Webhook, receiver: Receiver) -> None:
    [former] = webhook.valid_secrets(now=timezone.now())
    new = manage_webhooks.rotate_secret(webhook)
    manage_webhooks.send_test_event(webhook)
    tasks.send_due(webhook_id=str(webhook.pk))
    [arrived] = receiver.arrived
    assert is_from_lexic(arrived.body, arrived.headers, new)
    assert is_from_lexic(arrived.body, arrived.headers, former)
    assert not is_from_lexic(arrived.body + b" ", arrived.headers, new)
    assert not is_from_lexic(arrived.body, {**arrived.headers, "webhook-timestamp": "1"}, new)
    assert not is_from_lexic(arrived.body, arrived.headers, "whsec_" + base64.b64encode(b"x" * 32).decode())
