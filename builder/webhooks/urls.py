"""Addresses of the webhooks. No answer is kept by a browser: a secret may be in it."""

from __future__ import annotations

from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from builder.panes import pane_route, post_route
from builder.webhooks import views

_page = require_http_methods(["GET", "HEAD", "POST"])
_WEBHOOK = "sharing/webhooks/<uuid:webhook>/"

urlpatterns = [
    pane_route("sharing/webhooks/", never_cache(_page(views.show_webhooks)), "webhooks", for_editing=True),
    pane_route(_WEBHOOK, never_cache(_page(views.show_webhook)), "webhook", for_editing=True),
    post_route(f"{_WEBHOOK}secret/", never_cache(views.renew_secret), "webhook_secret"),
    post_route(f"{_WEBHOOK}test/", views.send_test_event, "webhook_test"),
    post_route(f"{_WEBHOOK}switch/", views.switch_webhook, "webhook_switch"),
    post_route(f"{_WEBHOOK}delete/", views.delete_webhook, "webhook_delete"),
    post_route(f"{_WEBHOOK}deliveries/<uuid:delivery>/again/", views.redeliver_event, "webhook_redeliver"),
]
