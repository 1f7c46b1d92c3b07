"""How a plugin is asked, and how it answers: figures of any days, as pictures, as tables and as a file."""

from __future__ import annotations

from django.contrib import admin
from django.urls import URLPattern, path

from builder.analytics import all_plugins
from builder.analytics.views import download_csv, show_analytics
from builder.panes import pane_route


def urls() -> list[URLPattern]:
    return [
        pane_route("analytics/", show_analytics, name="analytics"),
        pane_route("analytics/questions.csv", download_csv, name="analytics_csv"),
    ]


def all_plugins_urls() -> list[URLPattern]:
    """Over all that a person may look at; they belong to no plugin."""
    return [
        path("analytics/", admin.site.admin_view(all_plugins.show_all_plugins), name="builder_overall"),
        path(
            "analytics/questions.csv",
            admin.site.admin_view(all_plugins.download_all_plugins),
            name="builder_overall_csv",
        ),
    ]
