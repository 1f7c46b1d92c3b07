"""How a plugin is asked, and how it answers: figures of any days, as pictures, as tables and as a file."""

from __future__ import annotations

from django.contrib import admin
from django.urls import URLPattern, path

from builder.analytics import overall
from builder.analytics.views import download, show
from builder.panes import pane_url


def urls() -> list[URLPattern]:
    return [
        pane_url("analytics/", show, name="analytics"),
        pane_url("analytics/questions.csv", download, name="analytics_csv"),
    ]


def overall_urls() -> list[URLPattern]:
    """Over all that a person may look at; they belong to no plugin."""
    return [
        path("analytics/", admin.site.admin_view(overall.show), name="builder_overall"),
        path("analytics/questions.csv", admin.site.admin_view(overall.download), name="builder_overall_csv"),
    ]
