from __future__ import annotations

from django.urls import path

from api import webhooks

_ALL = "api/plugins/<slug:plugin>/webhooks"
_ONE = f"{_ALL}/<uuid:webhook>"

urlpatterns = [
    path(_ALL, webhooks.WebhooksView.as_view(), name="webhooks"),
    path(_ONE, webhooks.WebhookView.as_view(), name="webhook"),
    path(f"{_ONE}/secret", webhooks.SecretView.as_view(), name="webhook_secret"),
    path(f"{_ONE}/test", webhooks.TestView.as_view(), name="webhook_test"),
    path(f"{_ONE}/deliveries", webhooks.DeliveriesView.as_view(), name="webhook_deliveries"),
    path(
        f"{_ONE}/deliveries/<uuid:delivery>/redeliver", webhooks.RedeliverView.as_view(), name="webhook_redeliver"
    ),
]
