"""Addresses of the inbox."""

from __future__ import annotations

from builder.inbox import ask_again, dismissals, replies, views
from builder.panes import get_route, post_route

urlpatterns = [
    get_route("inbox/", views.show_inbox, "inbox"),
    post_route("inbox/dismiss/", views.dismiss_topics, "inbox_dismiss"),
    post_route("inbox/reply/", replies.reply_to_topic, "inbox_reply", pane="inbox"),
    post_route("inbox/again/", ask_again.ask_again, "inbox_ask_again"),
    get_route("inbox/dismissed/", dismissals.show_dismissed, "inbox_dismissed"),
    post_route("inbox/restore/", dismissals.restore, "inbox_restore"),
]
