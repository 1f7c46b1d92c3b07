from __future__ import annotations

from django.urls import path

from querying.source import original, picture, source

urlpatterns = [
    path("source/<int:page_id>", source, name="source"),
    path("source/<int:page_id>/picture", picture, name="source-picture"),
    path("source/<int:page_id>/file", original, name="source-file"),
]
