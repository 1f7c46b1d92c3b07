"""The sandbox: people ask the draft or a release, and see everything that happened to their question."""

from __future__ import annotations

from django.urls import URLPattern

from builder.panes import pane_route
from builder.sandbox.feedback import give_feedback, save_as_golden
from builder.sandbox.views import ask_question, show_sandbox


def urls() -> list[URLPattern]:
    return [
        pane_route("sandbox/", show_sandbox, name="sandbox"),
        pane_route("sandbox/ask/", ask_question, name="sandbox_ask", allow_reader_post=True),
        pane_route("sandbox/<uuid:query>/golden/", save_as_golden, name="sandbox_keep", for_editing=True),
        pane_route("sandbox/<uuid:query>/feedback/", give_feedback, name="sandbox_remark", allow_reader_post=True),
    ]
