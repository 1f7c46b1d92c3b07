"""Addresses of the figures of one plugin, and of all that a person may look at."""

from __future__ import annotations

from django.contrib import admin
from django.urls import path

from builder.analytics import all_plugins, report, views
from builder.panes import get_route

urlpatterns = [
    get_route("analytics/", views.show_analytics, "analytics"),
    get_route("analytics/questions.csv", views.download_csv, "analytics_csv"),
    get_route("analytics/questions.json", views.download_json, "analytics_json"),
    get_route("analytics/report/", report.show_report, "analytics_report"),
    path("analytics/", admin.site.admin_view(all_plugins.show_all_plugins), name="builder_overall"),
    path(
        "analytics/questions.csv",
        admin.site.admin_view(all_plugins.download_all_plugins),
        name="builder_overall_csv",
    ),
    path(
        "analytics/questions.json",
        admin.site.admin_view(all_plugins.download_all_plugins_json),
        name="builder_overall_json",
    ),
]
