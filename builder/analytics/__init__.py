"""How a plugin is asked, and how it answers: figures of any days, as pictures, as tables and as a file."""

from __future__ import annotations

from django.urls import URLPattern

from builder.analytics.views import download, show
from builder.panes import pane_url


def urls() -> list[URLPattern]:
    return [
        pane_url("analytics/", show, name="analytics"),
        pane_url("analytics/questions.csv", download, name="analytics_csv"),
    ]
