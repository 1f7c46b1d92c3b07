from __future__ import annotations

from django.urls import path

from marketplace.reviews.views import report_plugin, report_review, review, review_delete, review_reply

OF_PLUGIN = "marketplace/<slug:slug>"

urlpatterns = [
    path(f"{OF_PLUGIN}/review", review, name="review"),
    path(f"{OF_PLUGIN}/review/delete", review_delete, name="review_delete"),
    path(f"{OF_PLUGIN}/reviews/<uuid:pk>/reply", review_reply, name="review_reply"),
    path(f"{OF_PLUGIN}/reviews/<uuid:pk>/report", report_review, name="report_review"),
    path(f"{OF_PLUGIN}/report", report_plugin, name="report_plugin"),
]
