from __future__ import annotations

from django.urls import path

from api.releases import views

_PLUGIN = "api/plugins/<slug:plugin>"
_RELEASE = f"{_PLUGIN}/releases/<str:version>"

urlpatterns = [
    path(f"{_PLUGIN}/publish", views.PublishView.as_view(), name="plugin_publish"),
    path(f"{_PLUGIN}/unpublish", views.UnpublishView.as_view(), name="plugin_unpublish"),
    path(f"{_PLUGIN}/readiness", views.ReadinessView.as_view(), name="plugin_readiness"),
    path(f"{_PLUGIN}/releases", views.ReleasesView.as_view(), name="releases"),
    path(_RELEASE, views.ReleaseView.as_view(), name="release"),
    path(f"{_RELEASE}/rollback", views.RollbackView.as_view(), name="release_rollback"),
]
