"""What people asked in vain, by topic, for the author to do something about."""

from __future__ import annotations

from django.urls import URLPattern
from django.views.decorators.http import require_GET, require_POST

from builder.inbox.dismissals import restore, show_dismissed
from builder.inbox.views import dismiss_topic, show_inbox
from builder.panes import pane_route


def urls() -> list[URLPattern]:
    return [
        pane_route("inbox/", require_GET(show_inbox), name="inbox"),
        pane_route("inbox/dismiss/", require_POST(dismiss_topic), name="inbox_dismiss", for_editing=True),
        pane_route("inbox/dismissed/", require_GET(show_dismissed), name="inbox_dismissed"),
        pane_route("inbox/restore/", require_POST(restore), name="inbox_restore", for_editing=True),
    ]
