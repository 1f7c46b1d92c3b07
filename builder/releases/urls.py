"""Addresses of the releases."""

from __future__ import annotations

from builder.panes import pane_route, post_route
from builder.releases import views

urlpatterns = [
    pane_route("releases/", views.show_releases, "releases"),
    pane_route("releases/<uuid:release>/", views.show_release, "release"),
    post_route("releases/<uuid:release>/back/", views.roll_back_view, "go_back"),
    pane_route("publish/", views.publish_release, "publish", for_editing=True),
    post_route("withdraw/", views.withdraw_plugin, "withdraw"),
]
