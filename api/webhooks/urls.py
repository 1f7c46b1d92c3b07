from __future__ import annotations

from django.urls import path

from api.webhooks import views

_COLLECTION = "api/plugins/<slug:plugin>/webhooks"
_ITEM = f"{_COLLECTION}/<uuid:webhook>"

urlpatterns = [
    path(_COLLECTION, views.WebhooksView.as_view(), name="webhooks"),
    path(_ITEM, views.WebhookView.as_view(), name="webhook"),
    path(f"{_ITEM}/secret", views.SecretView.as_view(), name="webhook_secret"),
    path(f"{_ITEM}/test", views.TestView.as_view(), name="webhook_test"),
    path(f"{_ITEM}/deliveries", views.DeliveriesView.as_view(), name="webhook_deliveries"),
    path(f"{_ITEM}/deliveries/<uuid:delivery>/redeliver", views.RedeliverView.as_view(), name="webhook_redeliver"),
]
