from __future__ import annotations

from django.urls import path

from api.synced_sources import views

_COLLECTION = "api/plugins/<slug:plugin>/sources"
_ITEM = f"{_COLLECTION}/<int:source>"

urlpatterns = [
    path(_COLLECTION, views.SyncedSourcesView.as_view(), name="api_synced_sources"),
    path(_ITEM, views.SyncedSourceView.as_view(), name="api_synced_source"),
    path(f"{_ITEM}/sync", views.SyncView.as_view(), name="api_synced_source_sync"),
]
