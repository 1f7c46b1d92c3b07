"""What people asked in vain, by topic, for the author to do something about."""

from __future__ import annotations

from django.urls import URLPattern
from django.views.decorators.http import require_GET, require_POST

from builder.inbox.dismissed import restore, show_dismissed
from builder.inbox.views import dismiss, show
from builder.panes import pane_url


def urls() -> list[URLPattern]:
    return [
        pane_url("inbox/", require_GET(show), name="inbox"),
        pane_url("inbox/dismiss/", require_POST(dismiss), name="inbox_dismiss", to_change=True),
        pane_url("inbox/dismissed/", require_GET(show_dismissed), name="inbox_dismissed"),
        pane_url("inbox/restore/", require_POST(restore), name="inbox_restore", to_change=True),
    ]
