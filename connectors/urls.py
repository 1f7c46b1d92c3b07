from __future__ import annotations

from django.urls import path

from connectors.views import connections_view, disconnect_drive_view

urlpatterns = [
    path("accounts/connections", connections_view, name="connections"),
    path("accounts/connections/google-drive/disconnect", disconnect_drive_view, name="disconnect_drive"),
]
