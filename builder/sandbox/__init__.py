"""The sandbox: people ask the draft, or a release, and see everything that happened to their question."""

from __future__ import annotations

from django.urls import URLPattern

from builder.panes import pane_url
from builder.sandbox.remarks import keep, remark
from builder.sandbox.views import ask, show


def urls() -> list[URLPattern]:
    return [
        pane_url("sandbox/", show, name="sandbox"),
        pane_url("sandbox/ask/", ask, name="sandbox_ask", readers_may_post=True),
        pane_url("sandbox/<uuid:query>/golden/", keep, name="sandbox_keep", to_change=True),
        pane_url("sandbox/<uuid:query>/feedback/", remark, name="sandbox_remark", readers_may_post=True),
    ]
