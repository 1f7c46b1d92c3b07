from __future__ import annotations

from django.urls import path

from querying.presentation.page_viewer import original_file_view, page_image_view, page_view

urlpatterns = [
    path("source/<int:page_id>", page_view, name="source"),
    path("source/<int:page_id>/picture", page_image_view, name="source-picture"),
    path("source/<int:page_id>/file", original_file_view, name="source-file"),
]
