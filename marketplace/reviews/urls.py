from __future__ import annotations

from django.urls import path

from marketplace.reviews.views import (
    delete_review_view,
    reply_view,
    report_plugin_view,
    report_review_view,
    review_view,
)

PLUGIN_PATH = "marketplace/<slug:slug>"

urlpatterns = [
    path(f"{PLUGIN_PATH}/review", review_view, name="review"),
    path(f"{PLUGIN_PATH}/review/delete", delete_review_view, name="review_delete"),
    path(f"{PLUGIN_PATH}/reviews/<uuid:pk>/reply", reply_view, name="review_reply"),
    path(f"{PLUGIN_PATH}/reviews/<uuid:pk>/report", report_review_view, name="report_review"),
    path(f"{PLUGIN_PATH}/report", report_plugin_view, name="report_plugin"),
]
