from __future__ import annotations

from django.urls import path

from api.runs import views

_RUN = "api/runs/<uuid:agent_run>"

urlpatterns = [
    path("api/chat", views.ChatView.as_view(), name="api_send_message"),
    path(_RUN, views.RunView.as_view(), name="api_run"),
    path(f"{_RUN}/events", views.RunEventsView.as_view(), name="api_run_events"),
    path(f"{_RUN}/cancel", views.CancelRunView.as_view(), name="api_cancel_run"),
    path(f"{_RUN}/resume", views.ResumeRunView.as_view(), name="api_resume_run"),
]
