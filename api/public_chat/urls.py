from __future__ import annotations

from django.urls import path

from api.public_chat import views

urlpatterns = [path("api/public/<slug:plugin>/chat", views.PublicChatView.as_view(), name="public_chat")]
