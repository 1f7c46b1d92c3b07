from __future__ import annotations

from django.urls import path

from api.a2a import views

urlpatterns = [
    path("a2a/<slug:plugin>", views.AgentView.as_view(), name="a2a_agent"),
    path("a2a/<slug:plugin>/.well-known/agent-card.json", views.AgentCardView.as_view(), name="a2a_agent_card"),
]
