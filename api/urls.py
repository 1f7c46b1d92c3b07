from __future__ import annotations

from django.urls import path

from api.query import QueryView

urlpatterns = [
    path("api/v1/query", QueryView.as_view(), name="query"),
]
