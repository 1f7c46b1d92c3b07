"""Addresses of the inbox."""

from __future__ import annotations

from builder.inbox import dismissals, replies, views
from builder.panes import get_route, post_route

urlpatterns = [
    get_route("inbox/", views.show_inbox, "inbox"),
    post_route("inbox/dismiss/", views.dismiss_topics, "inbox_dismiss"),
    post_route("inbox/reply/", replies.reply_to_topic, "inbox_reply"),
    get_route("inbox/dismissed/", dismissals.show_dismissed, "inbox_dismissed"),
    post_route("inbox/restore/", dismissals.restore, "inbox_restore"),
]
