from __future__ import annotations

from django.urls import path

from marketplace.account.views import export, leave_view, your_data

urlpatterns = [
    path("data", your_data, name="your_data"),
    path("data/export", export, name="export_your_data"),
    path("data/delete", leave_view, name="delete_your_account"),
]
