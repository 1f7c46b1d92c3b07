from __future__ import annotations

from django.urls import path

from api.analytics import views

urlpatterns = [
    path("api/plugins/<slug:plugin>/analytics", views.AnalyticsView.as_view(), name="plugin_analytics"),
    path("api/plugins/<slug:plugin>/queries", views.QueriesView.as_view(), name="plugin_queries"),
]
