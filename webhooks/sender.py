"""Events go out: claimed, sent, and noted how it went.

Whoever claims an event holds no transaction while the receiver takes its time; a claim ends by itself. So an event
may arrive twice when a worker dies, and never gets lost. One receiver gets one event at a time: a slow one takes up
one worker, and not for longer than a turn.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Case, Value, When
from django.utils import timezone

from lexic import egress
from lexic.errors import LexicError
from webhooks import disabled_mail, signing
from webhooks.models import Delivery, Webhook
from webhooks.retry_schedule import MAX_ATTEMPTS, retry_delay

logger = logging.getLogger(__name__)

ATTEMPT_TIMEOUT_SECONDS = 15.0  # for one attempt
TURN_SECONDS = 30.0  # after which others in the queue have their turn
LEASE_DURATION = timedelta(minutes=2)  # longer than any attempt takes
MAX_EXCERPT_BYTES = 2000
USER_AGENT = "Lexic-Webhooks"

# An address that nothing has reached for so long, with so many attempts, is switched off.
DISABLE_AFTER = timedelta(days=5)
HTTP_GONE = 410


@dataclass(frozen=True, kw_only=True)
class DeliveryLease:
    """An attempt that is ours to make, until `until`."""

    webhook: Webhook
    delivery: Delivery
    until: datetime


@dataclass(frozen=True, kw_only=True)
class AttemptResult:
    """The result of an attempt: a status, or a sentence that says why there is none."""

    status: int | None = None
    response: str = ""
    error: str = ""
    retry_after: int | None = None

    @property
    def is_success(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


def send_due(webhook_id: UUID) -> bool:
    """Send what is due to one receiver, one after the other. True: there may be more, and the turn is over."""
    end = time.monotonic() + TURN_SECONDS
    while claimed := lease_delivery(webhook_id):
        record_attempt(claimed, attempt_delivery(claimed))
        if time.monotonic() >= end:
            return True
    return False


def lease_delivery(webhook_id: UUID, *, now: datetime | None = None) -> DeliveryLease | None:
    """The next event that is due to this receiver; None when there is none, or nothing may be sent to it now."""
    now = now or timezone.now()
    until = now + LEASE_DURATION
    with transaction.atomic():
        free = Webhook.objects.sendable(now=now).select_for_update(skip_locked=True)
        webhook = free.filter(pk=webhook_id).first()
        due = webhook.deliveries.due(now=now).filter(attempts__lt=MAX_ATTEMPTS) if webhook else None
        delivery = due.select_for_update(skip_locked=True).first() if due is not None else None
        if webhook is None or delivery is None:
            return None
        delivery.attempts += 1
        delivery.attempted_at, delivery.next_attempt_at, webhook.not_before = now, until, until
        delivery.save(update_fields=["attempts", "attempted_at", "next_attempt_at"])
        webhook.save(update_fields=["not_before"])
    return DeliveryLease(webhook=webhook, delivery=delivery, until=until)


def attempt_delivery(claimed: DeliveryLease, *, now: datetime | None = None) -> AttemptResult:
    """Sends one POST. Raises nothing: every outcome is an `AttemptResult`."""
    now, body = now or timezone.now(), claimed.delivery.body()
    secrets = claimed.webhook.valid_secrets(now=now)
    if not secrets:
        return AttemptResult(error="The secret cannot be opened any more. Create a new one.")
    headers = {
        "Content-Type": "application/json",
        "User-Agent": USER_AGENT,
        **signing.signature_headers(event_id=claimed.delivery.event_id, at=now, body=body, valid=secrets),
    }
    try:
        posted = egress.post(
            claimed.webhook.url,
            body=body,
            headers=headers,
            max_bytes=MAX_EXCERPT_BYTES,
            timeout=ATTEMPT_TIMEOUT_SECONDS,
            policy=settings.WEBHOOK_POLICY,
        )
    except LexicError as error:
        return AttemptResult(error=error.message)
    except Exception:  # an address or a receiver that nobody foresaw; the worker lives
        logger.exception("delivery %s could not be attempted", claimed.delivery.pk)
        return AttemptResult(error="Something unexpected went wrong on our side.")
    return AttemptResult(
        status=posted.status,
        response=posted.excerpt.decode("utf-8", "replace").replace("\x00", "\ufffd"),
        retry_after=posted.retry_after,
    )


def record_attempt(claimed: DeliveryLease, reply: AttemptResult, *, now: datetime | None = None) -> None:
    """Note how it went, on the event and on its receiver, and what is next."""
    now = now or timezone.now()
    with transaction.atomic():
        webhook = Webhook.objects.select_for_update().filter(pk=claimed.webhook.pk).first()
        if webhook is None:
            return  # deleted meanwhile, with everything that was to be sent
        if reply.is_success:
            # It has arrived, whatever was decided meanwhile.
            arrived = {"state": Delivery.State.DELIVERED, "delivered_at": now, "next_attempt_at": None, "error": ""}
            Delivery.objects.filter(pk=claimed.delivery.pk).update(**arrived, **_response_columns(claimed, reply))
            webhook.record_success()
        else:
            _record_failure(claimed, reply, now=now)
            webhook.record_failure(now=now)
            if webhook.is_active and (reason := _disable_reason(webhook, reply, now=now)):
                webhook.disable(reason=reason, now=now)
                disabled_mail.notify_disabled(webhook)


def fail_exhausted_deliveries(*, now: datetime | None = None) -> int:
    """Events whose last attempt was never noted, because its worker died. Returns how many."""
    spent = Delivery.objects.due(now=now or timezone.now()).filter(attempts__gte=MAX_ATTEMPTS).order_by()
    return spent.update(
        state=Delivery.State.GIVEN_UP, next_attempt_at=None, error="The worker ended during the last attempt."
    )


def _record_failure(claimed: DeliveryLease, reply: AttemptResult, *, now: datetime) -> None:
    """Says nothing when the attempt is not the current one any more: somebody had it sent again, or gave it up."""
    delay = retry_delay(claimed.delivery.attempts, retry_after=reply.retry_after)
    Delivery.objects.waiting().filter(pk=claimed.delivery.pk, next_attempt_at=claimed.until).update(
        state=Delivery.State.FAILED if delay else Delivery.State.GIVEN_UP,
        next_attempt_at=now + delay if delay else None,
        error=reply.error or f"The receiver answered with status {reply.status}.",
        **_response_columns(claimed, reply),
    )


def _response_columns(claimed: DeliveryLease, reply: AttemptResult) -> dict[str, Any]:
    """The reply may repeat what was sent: where words of that were erased during the attempt, it is not kept."""
    is_as_sent = When(data=claimed.delivery.data, then=Value(reply.response))
    return {"status_code": reply.status, "response": Case(is_as_sent, default=Value(""))}


def _disable_reason(webhook: Webhook, reply: AttemptResult, *, now: datetime) -> str:
    if reply.status == HTTP_GONE:
        return "The receiver answered 410: it wants no more events."
    since = webhook.failing_since or now
    is_dead = now - since >= DISABLE_AFTER and webhook.failures >= MAX_ATTEMPTS
    return f"Nothing has reached this address for {(now - since).days} days." if is_dead else ""
