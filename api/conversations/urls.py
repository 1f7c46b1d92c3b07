from __future__ import annotations

from django.urls import path

from api.conversations import views

_CONVERSATION = "api/conversations/<uuid:conversation>"

urlpatterns = [
    path("api/conversations", views.ConversationsView.as_view(), name="api_conversations"),
    path(_CONVERSATION, views.ConversationView.as_view(), name="api_conversation"),
    path(f"{_CONVERSATION}/messages", views.MessagesView.as_view(), name="api_messages"),
]
