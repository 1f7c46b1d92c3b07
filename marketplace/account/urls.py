from __future__ import annotations

from django.urls import path

from marketplace.account.connections import connections_view, disconnect_drive_view
from marketplace.account.views import delete_account_view, export_view, your_data_view

urlpatterns = [
    path("connections", connections_view, name="connections"),
    path("connections/google-drive/disconnect", disconnect_drive_view, name="disconnect_drive"),
    path("data", your_data_view, name="your_data"),
    path("data/export", export_view, name="export_your_data"),
    path("data/delete", delete_account_view, name="delete_your_account"),
]
