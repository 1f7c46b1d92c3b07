"""Addresses of the inbox."""

from __future__ import annotations

from builder.inbox import dismissals, views
from builder.panes import get_route, post_route

urlpatterns = [
    get_route("inbox/", views.show_inbox, "inbox"),
    post_route("inbox/dismiss/", views.dismiss_topic, "inbox_dismiss"),
    get_route("inbox/dismissed/", dismissals.show_dismissed, "inbox_dismissed"),
    post_route("inbox/restore/", dismissals.restore, "inbox_restore"),
]
