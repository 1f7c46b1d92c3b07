from __future__ import annotations

from django.urls import path

from querying.api import QueryView
from querying.source import original, picture, source

urlpatterns = [
    path("api/v1/query", QueryView.as_view(), name="query"),
    path("source/<int:page_id>", source, name="source"),
    path("source/<int:page_id>/picture", picture, name="source-picture"),
    path("source/<int:page_id>/file", original, name="source-file"),
]
