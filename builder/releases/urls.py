"""Addresses of the releases."""

from __future__ import annotations

from django.views.decorators.http import require_GET, require_POST

from builder.panes import pane_route, post_route
from builder.releases import approval, next_steps, publishing_run, views

urlpatterns = [
    pane_route("releases/", views.show_releases, "releases"),
    pane_route("releases/<uuid:release>/", views.show_release, "release"),
    post_route("releases/<uuid:release>/back/", views.roll_back_view, "go_back"),
    pane_route("publish/", views.publish_release, "publish", for_editing=True),
    pane_route(
        "publish/progress/",
        require_GET(publishing_run.show_publishing_progress),
        "publish_progress",
        for_editing=True,
    ),
    pane_route("published/", require_GET(next_steps.show_next_steps), "published", for_editing=True),
    post_route("publish/notes/", views.keep_notes, "publish_notes"),
    post_route("publish/cancel/", publishing_run.cancel_publishing, "publish_cancel"),
    pane_route("releases/approval/", require_GET(approval.show_approval), "approval"),
    post_route("releases/approval/request/", approval.request_approval_view, "request_approval"),
    pane_route(
        "releases/approval/decide/",
        require_POST(approval.decide_approval_view),
        "decide_approval",
        allow_reader_post=True,
    ),
    post_route("withdraw/", views.withdraw_plugin, "withdraw"),
]
