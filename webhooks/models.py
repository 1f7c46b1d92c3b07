from __future__ import annotations

import json
import uuid
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Cast
from django.utils import timezone

from accounts import key_secrets
from accounts.models import Principal
from audit.actions import Action
from audit.audited_model import AuditedModel, AuditedQuerySet, AuditRule, Named
from plugins.models import Plugin
from webhooks import signing
from webhooks.retry_schedule import MAX_REST, MAX_WAIT, receiver_backoff


class Event(models.TextChoices):
    """What a webhook may listen to. The value is the event's type, as receivers see it."""

    DOCUMENT_READY = "document.ready", "a document is ready to answer"
    DOCUMENT_FAILED = "document.failed", "a document could not be read"
    RELEASE_PUBLISHED = "release.published", "a release was published"
    QUESTION_UNANSWERED = "question.unanswered", "a question was refused"


# Sent by hand, whatever a webhook listens to.
TEST_EVENT = "webhook.test"


class WebhookQuerySet(AuditedQuerySet["Webhook"]):
    def editable_by(self, principal: Principal) -> WebhookQuerySet:
        """Webhooks of plugins that this person may change. People who may only look at a plugin do not see them."""
        return self.filter(plugin__in=Plugin.objects.editable_by(principal))

    def subscribed_to(self, kind: str) -> WebhookQuerySet:
        return self.filter(is_active=True, events__contains=[kind])

    def sendable(self, *, now: datetime) -> WebhookQuerySet:
        """Webhooks that an event may be sent to now: not after a failure, and not while another worker sends."""
        is_free = models.Q(not_before=None) | models.Q(not_before__lte=now)
        return self.filter(is_free | models.Q(not_before__gt=now + MAX_REST), is_active=True)


class Webhook(AuditedModel):
    """An address of the plugin's people that is told what happens.

    `not_before` is why nothing is sent to it now: somebody is just sending, or it failed a moment ago. It passes by
    itself, so that a sender that dies holds nothing up for good.
    """

    FORMER_SECRET_FOR = timedelta(days=1)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    plugin = models.ForeignKey(Plugin, on_delete=models.CASCADE, related_name="webhooks")
    url = models.URLField("address", max_length=2000)
    events = ArrayField(models.CharField(max_length=32, choices=Event.choices))
    includes_questions = models.BooleanField(
        "send the words of a question",
        default=False,
        help_text="Questions can be personal. Without this, only the id and the reason are sent.",
    )
    secret_encrypted = models.TextField(editable=False)
    # The secret before it: both sign for a day, so that a receiver can be moved to the new one without a gap.
    former_secret_encrypted = models.TextField(blank=True, editable=False)
    former_secret_until = models.DateTimeField(null=True, editable=False)
    is_active = models.BooleanField(default=True)
    disabled_at = models.DateTimeField(null=True, editable=False)
    disabled_reason = models.CharField(max_length=200, blank=True, editable=False)
    failures = models.PositiveIntegerField(default=0, editable=False, help_text="Attempts in a row that failed.")
    failing_since = models.DateTimeField(null=True, editable=False)
    not_before = models.DateTimeField(null=True, editable=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = WebhookQuerySet.as_manager()
    audit_rule = AuditRule(
        object=Named(kind="webhook"),
        subject=Named(kind="plugin", pk="plugin_id", name="plugin__name", person="plugin__owner_id"),
        created=Action.WEBHOOK_CREATED,
        deleted=Action.WEBHOOK_DELETED,
        changed=dict.fromkeys(("url", "events", "includes_questions", "is_active"), Action.WEBHOOK_CHANGED),
        shown={"url": lambda url: urlsplit(url).hostname},  # the rest may be a secret of its receiver
    )

    class Meta:
        ordering = ["-created_at", "pk"]

    def __str__(self) -> str:
        return self.url

    @property
    def host(self) -> str:
        """The host of the address. The rest of an address may be a secret."""
        return urlsplit(self.url).hostname or self.url

    def set_new_secret(self, *, now: datetime | None = None) -> str:
        """Sets a new secret, unsaved, and returns it: the one time that it is shown. The former stays for a day."""
        secret = signing.generate_webhook_secret()
        if self.secret_encrypted:
            self.former_secret_encrypted = self.secret_encrypted
            self.former_secret_until = (now or timezone.now()) + self.FORMER_SECRET_FOR
        self.secret_encrypted = key_secrets.encrypt(secret)
        return secret

    def valid_secrets(self, *, now: datetime) -> list[str]:
        """The newest first. Empty when ENCRYPTION_KEY has changed since they were made."""
        kept = [self.secret_encrypted]
        if self.former_secret_until and now < self.former_secret_until:
            kept.append(self.former_secret_encrypted)
        return [secret for sealed in kept if (secret := key_secrets.decrypt(sealed))]

    def record_success(self) -> None:
        """Something was delivered: whatever was wrong with it is over."""
        self.failures, self.failing_since, self.not_before = 0, None, None
        self.save(update_fields=["failures", "failing_since", "not_before"])

    def record_failure(self, *, now: datetime) -> None:
        self.failures += 1
        self.failing_since = self.failing_since or now
        self.not_before = now + receiver_backoff(self.failures)
        self.save(update_fields=["failures", "failing_since", "not_before"])

    def enable(self) -> None:
        """What comes from now on is sent, and its failures are counted afresh."""
        self.is_active, self.disabled_at, self.disabled_reason = True, None, ""
        self.save(update_fields=["is_active", "disabled_at", "disabled_reason"])
        self.record_success()

    def disable(self, *, reason: str = "", now: datetime | None = None) -> None:
        """Switches the webhook off, and gives up what waits. `reason` is empty when a person does it."""
        self.is_active, self.disabled_at, self.disabled_reason = False, now or timezone.now(), reason
        self.save(update_fields=["is_active", "disabled_at", "disabled_reason"])
        waiting = self.deliveries.waiting()
        waiting.filter(error="").update(error="The webhook was switched off.")
        waiting.update(state=Delivery.State.GIVEN_UP, next_attempt_at=None)


def _without_key(column: str, key: str) -> models.Func:
    name = Cast(models.Value(key), models.TextField())
    return models.Func(
        models.F(column), name, template="(%(expressions)s)", arg_joiner=" - ", output_field=models.JSONField()
    )


class DeliveryQuerySet(models.QuerySet["Delivery"]):
    def editable_by(self, principal: Principal) -> DeliveryQuerySet:
        return self.filter(webhook__in=Webhook.objects.editable_by(principal))

    def waiting(self) -> DeliveryQuerySet:
        return self.filter(state__in=[Delivery.State.PENDING, Delivery.State.FAILED])

    def settled(self) -> DeliveryQuerySet:
        return self.exclude(state__in=[Delivery.State.PENDING, Delivery.State.FAILED])

    def erase_questions(self, query_ids: Iterable[uuid.UUID]) -> None:
        """Erases for good the words of these questions, also of events that wait to be sent, and what receivers have
        replied, which may repeat them."""
        told = self.filter(event=Event.QUESTION_UNANSWERED, data__queryId__in=[str(pk) for pk in query_ids])
        told.update(data=_without_key("data", "question"), response="")

    def due(self, *, now: datetime) -> DeliveryQuerySet:
        """The longest due first."""
        is_due = models.Q(next_attempt_at__lte=now) | models.Q(next_attempt_at__gt=now + MAX_WAIT)
        return self.waiting().filter(is_due).order_by("next_attempt_at", "created_at")


class Delivery(models.Model):
    """One event for one webhook, and the outcome of its attempts. Kept for a month.

    While an attempt is under way, `next_attempt_at` is when somebody else may try: were the sender to die, nothing
    would be lost. It is also how a sender finds out that its attempt is no longer the current one.
    """

    class State(models.TextChoices):
        PENDING = "pending", "waiting"
        DELIVERED = "delivered", "delivered"
        FAILED = "failed", "failed, is tried again"
        GIVEN_UP = "given_up", "given up"

    KEPT_FOR = timedelta(days=30)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    event_id = models.CharField(max_length=40)
    event = models.CharField(max_length=32)
    data = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State.choices, default=State.PENDING)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_attempt_at = models.DateTimeField(null=True, default=timezone.now)
    status_code = models.PositiveSmallIntegerField(null=True)
    response = models.TextField(blank=True)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    attempted_at = models.DateTimeField(null=True)
    delivered_at = models.DateTimeField(null=True)

    objects = DeliveryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "deliveries"
        ordering = ["-created_at", "pk"]
        constraints = [models.UniqueConstraint(fields=["webhook", "event_id"], name="delivery_once")]
        indexes = [
            models.Index(fields=["webhook", "-created_at"], name="delivery_webhook_recent"),
            # The timetable looks every few seconds for what is due.
            models.Index(
                fields=["next_attempt_at"],
                name="delivery_due",
                condition=models.Q(state__in=["pending", "failed"]),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.event_id}"

    @property
    def payload(self) -> dict[str, Any]:
        """What the receiver gets: the same for every attempt."""
        at = self.created_at.isoformat().replace("+00:00", "Z")
        return {"type": self.event, "timestamp": at, "data": self.data}

    def body(self) -> bytes:
        return json.dumps(self.payload, ensure_ascii=False, separators=(",", ":")).encode()
