"""Webhooks: who outside is told what happens, and how telling them went. For those who may change the plugin."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts.models import User
from builder.panes import pane_route, render_pane
from builder.releases.publication import log_plugin_change
from lexic.errors import LexicError
from plugins.models import Plugin
from webhooks import operations
from webhooks.models import Delivery, Event, Webhook

PER_PAGE = 25
STATE_STYLES = {"delivered": "ok", "given_up": "no", "failed": "warn", "pending": ""}
STATE_ICONS = {"delivered": "check", "given_up": "alert", "failed": "clock", "pending": "clock"}


class WebhookForm(forms.Form):
    url = forms.CharField(
        label="Address",
        max_length=2000,
        widget=forms.URLInput(
            attrs={"class": "input", "placeholder": "https://example.org/lexic", "autocomplete": "off"}
        ),
    )
    events = forms.MultipleChoiceField(
        label="Tell it when",
        choices=Event.choices,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Choose at least one event."},
    )
    includes_questions = forms.BooleanField(required=False)

    def __init__(self, data: Any = None, *, webhook: Webhook | None = None) -> None:
        names = ("url", "events", "includes_questions")
        super().__init__(data, initial={name: getattr(webhook, name) for name in names} if webhook else None)


def urls() -> list[URLPattern]:
    one = "sharing/webhooks/<uuid:webhook>"
    again = f"{one}/deliveries/<uuid:delivery>/again/"
    return [
        pane_route("sharing/webhooks/", _webhook_page(show_webhooks), name="webhooks", for_editing=True),
        pane_route(f"{one}/", _webhook_page(show_webhook), name="webhook", for_editing=True),
        pane_route(
            f"{one}/secret/", never_cache(require_POST(renew_secret)), name="webhook_secret", for_editing=True
        ),
        pane_route(f"{one}/test/", require_POST(send_test_event), name="webhook_test", for_editing=True),
        pane_route(f"{one}/switch/", require_POST(switch_webhook), name="webhook_switch", for_editing=True),
        pane_route(f"{one}/delete/", require_POST(delete_webhook), name="webhook_delete", for_editing=True),
        pane_route(again, require_POST(redeliver_event), name="webhook_redeliver", for_editing=True),
    ]


def _webhook_page(view: Any) -> Any:
    return never_cache(require_http_methods(["GET", "HEAD", "POST"])(view))


def show_webhooks(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    """All of them, and the form of a new one. Its secret goes into the answer to the form, and nowhere else."""
    form = WebhookForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            made, secret = operations.create_webhook(plugin, by=_current_user(request), **form.cleaned_data)
        except LexicError as error:
            form.add_error("url", f"{error.message} {error.hint}")
        else:
            log_plugin_change(request, plugin, f"Added a webhook to {made.host}.")
            return _render_webhook(request, plugin, made, secret=secret)
    waiting = Count("deliveries", filter=Q(deliveries__state__in=["pending", "failed"]))
    lost = Count("deliveries", filter=Q(deliveries__state="given_up"))
    webhooks = plugin.webhooks.annotate(waiting=waiting, lost=lost)
    return render_pane(request, plugin, "sharing", "builder/webhooks.html", {"webhooks": webhooks, "form": form})


def show_webhook(request: HttpRequest, plugin: Plugin, webhook: UUID) -> HttpResponse:
    found = _webhook_or_404(plugin, webhook)
    if request.method != "POST":
        return _render_webhook(request, plugin, found)
    form = WebhookForm(request.POST)
    if not form.is_valid():
        return _render_webhook(request, plugin, found, form=form)
    try:
        operations.update_webhook(found, **form.cleaned_data)
    except LexicError as error:
        form.add_error("url", f"{error.message} {error.hint}")
        return _render_webhook(request, plugin, _webhook_or_404(plugin, webhook), form=form)
    return _save_and_redirect(request, found, f"Changed the webhook to {found.host}.")


def renew_secret(request: HttpRequest, plugin: Plugin, webhook: UUID) -> HttpResponse:
    found = _webhook_or_404(plugin, webhook)
    secret = operations.rotate_secret(found)
    log_plugin_change(request, plugin, f"Made a new secret for the webhook to {found.host}.")
    return _render_webhook(request, plugin, found, secret=secret)


def send_test_event(request: HttpRequest, plugin: Plugin, webhook: UUID) -> HttpResponse:
    found = _webhook_or_404(plugin, webhook)
    try:
        operations.send_test_event(found)
    except LexicError as error:
        messages.error(request, f"{error.message} {error.hint}")
    else:
        messages.success(request, "A test event is on its way. How it went is in the log in a moment.")
    return _redirect_to_webhook(found)


def switch_webhook(request: HttpRequest, plugin: Plugin, webhook: UUID) -> HttpResponse:
    """To what the button says, so that pressing it twice does not turn it back."""
    found = _webhook_or_404(plugin, webhook)
    operations.update_webhook(found, is_active=request.POST.get("to") == "on")
    if found.is_active:
        return _save_and_redirect(request, found, f"The webhook to {found.host} is on.")
    return _save_and_redirect(request, found, f"The webhook to {found.host} is off. What was waiting is given up.")


def delete_webhook(request: HttpRequest, plugin: Plugin, webhook: UUID) -> HttpResponse:
    found = _webhook_or_404(plugin, webhook)
    found.delete()
    log_plugin_change(request, plugin, f"Deleted the webhook to {found.host}.")
    messages.success(request, f"The webhook to {found.host} is deleted, with its log.")
    return HttpResponseRedirect(reverse("admin:builder_webhooks", args=[plugin.pk]))


def redeliver_event(request: HttpRequest, plugin: Plugin, webhook: UUID, delivery: UUID) -> HttpResponse:
    found = _webhook_or_404(plugin, webhook)
    sent = found.deliveries.select_related("webhook").filter(pk=delivery).first()
    if sent is None:
        raise Http404("This webhook has no such delivery.")
    try:
        operations.redeliver(sent)
    except LexicError as error:
        messages.error(request, f"{error.message} {error.hint}")
    else:
        messages.success(request, f"{sent.event} is on its way again, with the same id.")
    return _redirect_to_webhook(found)


def _render_webhook(
    request: HttpRequest, plugin: Plugin, webhook: Webhook, *, form: WebhookForm | None = None, secret: str = ""
) -> HttpResponse:
    page = Paginator(webhook.deliveries.all(), PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "webhook": webhook,
        "form": form or WebhookForm(webhook=webhook),
        "secret": secret,
        "page": page,
        "deliveries": [_delivery_json(delivery) for delivery in page],
    }
    return render_pane(request, plugin, "sharing", "builder/webhook.html", context)


def _delivery_json(delivery: Delivery) -> dict[str, Any]:
    return {
        "row": delivery,
        "style": STATE_STYLES[delivery.state],
        "icon": STATE_ICONS[delivery.state],
        "payload": json.dumps(delivery.payload, ensure_ascii=False, indent=2),
    }


def _webhook_or_404(plugin: Plugin, pk: UUID) -> Webhook:
    found = plugin.webhooks.select_related("created_by", "plugin").filter(pk=pk).first()
    if found is None:
        raise Http404("This plugin has no such webhook.")
    return found


def _save_and_redirect(request: HttpRequest, webhook: Webhook, sentence: str) -> HttpResponse:
    log_plugin_change(request, webhook.plugin, sentence)
    messages.success(request, sentence)
    return _redirect_to_webhook(webhook)


def _redirect_to_webhook(webhook: Webhook) -> HttpResponse:
    return HttpResponseRedirect(reverse("admin:builder_webhook", args=[webhook.plugin_id, webhook.pk]))


def _current_user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
