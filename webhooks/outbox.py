"""Records events for webhooks, in the transaction in which they happen.

Nothing is sent here: if the transaction is rolled back, the event never happened, and if everything stops right after
the commit, the rows are there and the scheduled task finds them.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from django.db import models, transaction

from plugins.models import Plugin
from webhooks.models import TEST_EVENT, Delivery, Webhook
from webhooks.task_queue import enqueue_webhook

# Texts are cut so that a payload stays below the 20 kB that receivers are promised.
MAX_TEXT_LENGTH = 2000


def record_event(
    plugins: models.QuerySet[Plugin] | Collection[UUID],
    *,
    kind: str,
    data: Mapping[str, Any],
    personal: Mapping[str, Any] | None = None,
) -> int:
    """Tell the active webhooks of these plugins that listen to this kind, once the transaction is committed.

    `data` is JSON of a few short values; the plugin is added to it. `personal` goes only to webhooks that ask for
    it. Returns how many are told. When nobody listens, that is one statement and nothing is written.
    """
    return record_events(plugins, kind=kind, data=[data], personal=personal)


def record_events(
    plugins: models.QuerySet[Plugin] | Collection[UUID],
    *,
    kind: str,
    data: Sequence[Mapping[str, Any]],
    personal: Mapping[str, Any] | None = None,
) -> int:
    """As `record_event` for each of `data`. Returns how many webhooks are told of them."""
    listening = Webhook.objects.subscribed_to(kind).filter(plugin__in=plugins).select_related("plugin")
    webhooks = list(listening.only("includes_questions", "plugin", "plugin__slug", "plugin__name", "plugin__config"))
    deliveries: list[Delivery] = []
    for told in data if webhooks else ():
        ids = {webhook.plugin_id: _new_event_id() for webhook in webhooks}
        deliveries += [_build_delivery(one, kind, ids[one.plugin_id], told, personal or {}) for one in webhooks]
    if deliveries:
        _write_deliveries(deliveries)
    return len(webhooks)


def record_test_event(webhook: Webhook) -> Delivery:
    """An event that says nothing but that events arrive, for this webhook alone."""
    delivery = _build_delivery(
        webhook, TEST_EVENT, _new_event_id(), {"message": "Events of this plugin arrive here."}, {}
    )
    _write_deliveries([delivery])
    return delivery


def _write_deliveries(deliveries: list[Delivery]) -> None:
    with transaction.atomic():
        Delivery.objects.bulk_create(deliveries)
        for webhook_id in {delivery.webhook_id for delivery in deliveries}:
            transaction.on_commit(partial(enqueue_webhook, webhook_id), robust=True)


def _build_delivery(
    webhook: Webhook, kind: str, event_id: str, data: Mapping[str, Any], personal: Mapping[str, Any]
) -> Delivery:
    told_of = webhook.plugin
    plugin = {"id": str(told_of.pk), "slug": told_of.slug, "name": told_of.name, "config": told_of.config}
    told = {**data, **(personal if webhook.includes_questions else {})}
    return Delivery(webhook=webhook, event=kind, event_id=event_id, data={"plugin": plugin, **_truncate_texts(told)})


def _new_event_id() -> str:
    """A new id without a full stop, because full stops separate the parts that are signed."""
    return f"evt_{secrets.token_hex(16)}"


def _truncate_texts(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) <= MAX_TEXT_LENGTH else f"{value[: MAX_TEXT_LENGTH - 1]}…"
    if isinstance(value, Mapping):
        return {name: _truncate_texts(part) for name, part in value.items()}
    return value
