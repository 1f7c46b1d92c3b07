from __future__ import annotations

from django.urls import path

from api.keys import views

_KEY = "api/api-keys/<uuid:pk>"

urlpatterns = [
    path("api/api-keys", views.KeysView.as_view(), name="api_keys"),
    path(_KEY, views.KeyDetailView.as_view(), name="api_key"),
    path(f"{_KEY}/rotate", views.RotateView.as_view(), name="api_key_rotate"),
    path(f"{_KEY}/usage", views.UsageView.as_view(), name="api_key_usage"),
]
