"""Creates, changes, tests and deletes webhooks, for the site and the API."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts import quotas
from accounts.models import User
from audit.actions import Action
from audit.record import record
from audit.references import Reference
from lexic import egress
from lexic.errors import Conflict, InvalidInput
from plugins.models import Plugin
from webhooks import outbox
from webhooks.models import Delivery, Event, Webhook
from webhooks.task_queue import enqueue_webhook


class InvalidReceiverUrl(InvalidInput):
    """Events are sent to public https addresses only."""

    code = "invalid_url"
    hint = "It looks like https://example.org/lexic-events, on the usual port."


class UnknownEvent(InvalidInput):
    """There is no such event."""

    code = "unknown_event"
    hint = f"There are {', '.join(Event.values)}; choose at least one."


class WebhookDisabled(Conflict):
    """This webhook is switched off."""

    code = "switched_off"
    hint = "Switch it on first."


def create_webhook(
    plugin: Plugin, *, url: str, events: Collection[str], by: User, includes_questions: bool = False
) -> tuple[Webhook, str]:
    """A new webhook and its secret, which is shown this once.

    Raises `InvalidReceiverUrl`, `UnknownEvent`, `TooManyWebhooks`.
    """
    webhook = Webhook(plugin=plugin, created_by=by, includes_questions=includes_questions)
    webhook.url, webhook.events = _validate_url(url), _validate_events(events)
    secret = webhook.set_new_secret()
    with transaction.atomic():
        Plugin.objects.select_for_update().only("pk").get(pk=plugin.pk)  # so that two at once are counted
        quotas.WEBHOOKS.check("plugin", used=plugin.webhooks.count())
        webhook.save()
    return webhook, secret


def update_webhook(webhook: Webhook, **said: Any) -> Webhook:
    """Sets those of `url`, `events`, `includes_questions` and `is_active` that are given.

    Raises `InvalidReceiverUrl`, `UnknownEvent`.
    """
    checks = {"url": _validate_url, "events": _validate_events}
    columns = {name: checks[name](value) if name in checks else value for name, value in said.items()}
    is_active = columns.pop("is_active", webhook.is_active)
    for name, value in columns.items():
        setattr(webhook, name, value)
    with transaction.atomic():
        webhook.save(update_fields=list(columns))
        if is_active and not webhook.is_active:
            webhook.enable()
        elif webhook.is_active and not is_active:
            webhook.disable()
    return webhook


def delete_webhook(webhook: Webhook) -> None:
    """Delete the webhook with its log. Raises `UnderLegalHold`."""
    webhook.plugin.check_deletable()
    webhook.delete()


def rotate_secret(webhook: Webhook) -> str:
    """A new secret, shown this once. The former one signs as well for another day."""
    secret = webhook.set_new_secret()
    with transaction.atomic():
        webhook.save(update_fields=["secret_encrypted", "former_secret_encrypted", "former_secret_until"])
        record(Action.WEBHOOK_SECRET_SHOWN, Reference("webhook", webhook.pk))
    return secret


def send_test_event(webhook: Webhook) -> Delivery:
    """Send an event that says that events arrive. Raises `WebhookDisabled`."""
    _check_enabled(webhook)
    _clear_backoff(webhook)
    return outbox.record_test_event(webhook)


def redeliver(delivery: Delivery) -> Delivery:
    """Send the event once more, at once, whatever became of it; it keeps its id. Raises `WebhookDisabled`."""
    _check_enabled(delivery.webhook)
    delivery.state, delivery.attempts, delivery.next_attempt_at = Delivery.State.PENDING, 0, timezone.now()
    delivery.error = ""
    with transaction.atomic():
        delivery.save(update_fields=["state", "attempts", "next_attempt_at", "error"])
        _clear_backoff(delivery.webhook)
        transaction.on_commit(lambda: enqueue_webhook(delivery.webhook_id), robust=True)
    return delivery


def _check_enabled(webhook: Webhook) -> None:
    if not webhook.is_active:
        raise WebhookDisabled


def _clear_backoff(webhook: Webhook) -> None:
    """Somebody is watching: a receiver that failed a moment ago is not left alone any longer."""
    Webhook.objects.filter(pk=webhook.pk, failures__gt=0).update(not_before=None)


def _validate_url(url: str) -> str:
    """A public https address on the usual port, or one that the operator lists. Raises `InvalidReceiverUrl`."""
    policy = settings.WEBHOOK_POLICY
    try:
        parsed = egress.parse_url(url.strip(), policy=policy)
    except egress.EgressRefused as error:
        raise InvalidReceiverUrl from error
    if not policy.lists(parsed.host):
        port = egress.url_port(parsed)
        if parsed.scheme != "https" or port not in policy.ports or not policy.allows_host(parsed.host, port):
            raise InvalidReceiverUrl
    return url.strip()


def _validate_events(events: Collection[str]) -> list[str]:
    """Each once, in the order in which they are shown."""
    if not events or not set(events) <= set(Event.values):
        raise UnknownEvent
    return [event for event in Event.values if event in events]
