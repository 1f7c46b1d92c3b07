from __future__ import annotations

from django.urls import path

from api.plugins import views

urlpatterns = [
    path("api/plugins", views.PluginsView.as_view(), name="plugins"),
    path("api/plugins/import", views.ImportView.as_view(), name="plugin_import"),
    path("api/plugins/<slug:plugin>", views.PluginView.as_view(), name="plugin"),
    path("api/plugins/<slug:plugin>/export", views.ExportView.as_view(), name="plugin_export"),
]
