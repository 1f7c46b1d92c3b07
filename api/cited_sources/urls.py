from __future__ import annotations

from django.urls import path

from api.cited_sources import views

urlpatterns = [
    path("api/sources/<slug:source_type>/<uuid:document>", views.SourceView.as_view(), name="api_source"),
]
