"""Addresses of the reviews."""

from __future__ import annotations

from builder.panes import get_route, post_route
from builder.reviews import views

urlpatterns = [
    get_route("reviews/", views.show_reviews, "reviews"),
    post_route("reviews/<uuid:review>/reply/", views.reply_to_review, "review_reply"),
]
