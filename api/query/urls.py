from __future__ import annotations

from django.urls import path

from api.query import views
from api.query.answer_link_view import AnswerLinkView

urlpatterns = [
    path("api/v1/query", views.QueryView.as_view(), name="query"),
    path("api/queries/<uuid:query>/feedback", views.FeedbackView.as_view(), name="query_feedback"),
    path("api/queries/<uuid:query>/link", AnswerLinkView.as_view(), name="query_link"),
]
