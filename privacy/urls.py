from __future__ import annotations

from django.urls import path

from privacy.views import delete_account_view, export_view, your_data_view

urlpatterns = [
    path("accounts/data", your_data_view, name="your_data"),
    path("accounts/data/export", export_view, name="export_your_data"),
    path("accounts/data/delete", delete_account_view, name="delete_your_account"),
]
