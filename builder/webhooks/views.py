"""Webhooks: who outside is told what happens, and how telling them went. For those who may change the plugin."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import Count, Q, QuerySet
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.timezone import localtime

from accounts.signed_in_request import SignedInRequest
from builder.history import errors_as_messages, log_and_report, log_plugin_change
from builder.panes import render_pane
from builder.webhooks.forms import WebhookForm
from lexic.errors import LexicError
from lexic.http.parameters import get_page
from plugins.models import Plugin
from webhooks import manage_webhooks
from webhooks.models import Delivery, Webhook
from webhooks.sender import USER_AGENT

PER_PAGE = 25
STATE_STYLES = {"delivered": "ok", "given_up": "no", "failed": "warn", "pending": ""}
STATE_ICONS = {"delivered": "check", "given_up": "alert", "failed": "clock", "pending": "clock"}


def show_webhooks(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """All of them, and the form of a new one. Its secret goes into the answer to the form, and nowhere else."""
    form = WebhookForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            made, secret = manage_webhooks.create_webhook(plugin, by=request.user, **form.settings())
        except LexicError as error:
            form.add_error("url", error.message_with_hint)
        else:
            log_plugin_change(request, plugin, f"Added a webhook to {made.host}.")
            return _render_webhook(request, plugin, made, secret=secret)
    waiting = Count("deliveries", filter=Q(deliveries__state__in=["pending", "failed"]))
    lost = Count("deliveries", filter=Q(deliveries__state="given_up"))
    webhooks = plugin.webhooks.annotate(waiting=waiting, lost=lost)
    return render_pane(request, plugin, "sharing", "builder/webhooks.html", {"webhooks": webhooks, "form": form})


def show_webhook(request: SignedInRequest, plugin: Plugin, webhook: UUID) -> HttpResponse:
    found = _get_webhook(plugin, webhook)
    if request.method != "POST":
        return _render_webhook(request, plugin, found)
    form = WebhookForm(request.POST, webhook=found)
    if not form.save_by(lambda: manage_webhooks.update_webhook(found, **form.settings()), field="url"):
        stored = _webhooks_of(plugin).filter(pk=webhook).first() or found  # deleted meanwhile: the form says so
        return _render_webhook(request, plugin, stored, form=form)
    log_and_report(request, plugin, f"Changed the webhook to {found.host}.")
    return _redirect_to_webhook(found)


def renew_secret(request: SignedInRequest, plugin: Plugin, webhook: UUID) -> HttpResponse:
    found = _get_webhook(plugin, webhook)
    secret = manage_webhooks.rotate_secret(found)
    log_plugin_change(request, plugin, f"Made a new secret for the webhook to {found.host}.")
    return _render_webhook(request, plugin, found, secret=secret)


def send_test_event(request: SignedInRequest, plugin: Plugin, webhook: UUID) -> HttpResponse:
    found = _get_webhook(plugin, webhook)
    with errors_as_messages(request):
        manage_webhooks.send_test_event(found)
        messages.success(request, "A test event is being sent. The log shows the result in a moment.")
    return _redirect_to_webhook(found)


def switch_webhook(request: SignedInRequest, plugin: Plugin, webhook: UUID) -> HttpResponse:
    """To what the button says, so that pressing it twice does not turn it back."""
    found = _get_webhook(plugin, webhook)
    manage_webhooks.update_webhook(found, is_active=request.POST.get("to") == "on")
    state = "on" if found.is_active else "off. What was waiting is given up"
    log_and_report(request, plugin, f"The webhook to {found.host} is {state}.")
    return _redirect_to_webhook(found)


def delete_webhook(request: SignedInRequest, plugin: Plugin, webhook: UUID) -> HttpResponse:
    found = _get_webhook(plugin, webhook)
    with errors_as_messages(request):
        manage_webhooks.delete_webhook(found)
        log_plugin_change(request, plugin, f"Deleted the webhook to {found.host}.")
        messages.success(request, f"The webhook to {found.host} is deleted, with its log.")
    return HttpResponseRedirect(reverse("admin:builder_webhooks", args=[plugin.pk]))


def redeliver_event(request: SignedInRequest, plugin: Plugin, webhook: UUID, delivery: UUID) -> HttpResponse:
    """Sends it again, and opens it in the log, where what is sent can be read."""
    found = _get_webhook(plugin, webhook)
    sent = get_object_or_404(found.deliveries.select_related("webhook"), pk=delivery)
    with errors_as_messages(request):
        manage_webhooks.redeliver(sent)
        what = f"{sent.event} of {date_format(localtime(sent.created_at), 'j F Y, H:i:s')}"
        size = f"{len(sent.body())} bytes, the same text with the same id"
        messages.success(request, f"{what} is being sent again to {found.host}: {size}. The log shows the answer soon.")
    return _redirect_to_webhook(found, opened=sent)


def _render_webhook(
    request: SignedInRequest, plugin: Plugin, webhook: Webhook, *, form: WebhookForm | None = None, secret: str = ""
) -> HttpResponse:
    page = get_page(request, webhook.deliveries.all(), per_page=PER_PAGE)
    context = {
        "webhook": webhook,
        "form": form or WebhookForm(webhook=webhook),
        "secret": secret,
        "page": page,
        "deliveries": [_delivery_json(delivery, opened=request.GET.get("opened", "")) for delivery in page],
    }
    return render_pane(request, plugin, "sharing", "builder/webhook.html", context)


def _delivery_json(delivery: Delivery, *, opened: str) -> dict[str, Any]:
    return {
        "is_open": str(delivery.pk) == opened,
        "row": delivery,
        "style": STATE_STYLES[delivery.state],
        "icon": STATE_ICONS[delivery.state],
        "headers": _sent_headers(delivery),
        "size": len(delivery.body()),
        "payload": json.dumps(delivery.payload, ensure_ascii=False, indent=2),
    }


def _sent_headers(delivery: Delivery) -> str:
    """The headers of the last attempt, one a line. The signature is not kept: it is made anew for each attempt."""
    headers = {"Content-Type": "application/json", "User-Agent": USER_AGENT, "webhook-id": delivery.event_id}
    if delivery.attempts and delivery.attempted_at:
        headers["webhook-timestamp"] = str(int(delivery.attempted_at.timestamp()))
    return "\n".join(f"{name}: {value}" for name, value in headers.items())


def _get_webhook(plugin: Plugin, pk: UUID) -> Webhook:
    """Raises Http404."""
    return get_object_or_404(_webhooks_of(plugin), pk=pk)


def _webhooks_of(plugin: Plugin) -> QuerySet[Webhook]:
    return plugin.webhooks.select_related("created_by", "plugin")


def _redirect_to_webhook(webhook: Webhook, *, opened: Delivery | None = None) -> HttpResponse:
    """To the page of the webhook, or to the page of its log where one entry is, which is opened."""
    address = reverse("admin:builder_webhook", args=[webhook.plugin_id, webhook.pk])
    if opened:
        page = webhook.deliveries.filter(created_at__gt=opened.created_at).count() // PER_PAGE + 1
        address += f"?page={page}&opened={opened.pk}#{opened.pk}"
    return HttpResponseRedirect(address)
