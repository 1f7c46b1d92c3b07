"""A mail to whoever owns the plugin when a webhook was switched off without anybody asking for it."""

from __future__ import annotations

import logging
from functools import partial

from django.conf import settings
from django.db import transaction
from django.urls import reverse

from lexic.templated_mail import send_letter
from webhooks.models import Webhook

logger = logging.getLogger(__name__)


def notify_disabled(webhook: Webhook) -> None:
    """Sent once the transaction is committed. A mail that cannot be sent is logged; the page says it all the same."""
    transaction.on_commit(partial(_send_disabled_mail, webhook), robust=True)


def _send_disabled_mail(webhook: Webhook) -> None:
    plugin = " ".join(webhook.plugin.name.split())
    before = [
        f"A webhook of “{plugin}” on Lexic was switched off. It sent events to {webhook.host}.",
        webhook.disabled_reason,
        "Events that were not delivered are kept for a month on the plugin's page, under Sharing, Webhooks. When the "
        "receiver works again, switch the webhook on there and send them again.",
    ]
    link = (
        settings.PUBLIC_URL + reverse("admin:builder_webhook", args=[webhook.plugin_id, webhook.pk]),
        "Open the webhook",
    )
    try:
        send_letter(
            webhook.plugin.owner.email, subject=f"A webhook of “{plugin}” was switched off", before=before, link=link
        )
    except OSError as error:
        logger.warning("nobody was told that webhook %s is switched off: %s", webhook.pk, error)
