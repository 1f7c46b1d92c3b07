"""Addresses of a plugin's limits."""

from __future__ import annotations

from builder.limits import views
from builder.panes import get_route, post_route

urlpatterns = [
    get_route("limits/", views.render_limits, "limits"),
    post_route("limits/save/", views.save_limits, "save_limits", pane="limits"),
    post_route("limits/legal-hold/", views.change_legal_hold, "legal_hold"),
]
