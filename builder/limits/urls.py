"""Addresses of how long the plugin's content is kept."""

from __future__ import annotations

from builder.limits import views
from builder.panes import get_route, post_route

urlpatterns = [
    get_route("limits/", views.render_limits, "limits"),
    post_route("limits/retention/", views.save_retention, "save_retention"),
    post_route("limits/legal-hold/", views.change_legal_hold, "legal_hold"),
]
