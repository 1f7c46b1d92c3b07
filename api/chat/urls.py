from __future__ import annotations

from django.urls import path

from api.chat.views import CompletionsView, ModelsView, ModelView, UnknownEndpointView

urlpatterns = [
    path("models", ModelsView.as_view(), name="chat_models"),
    path("models/<str:name>", ModelView.as_view(), name="chat_model"),
    path("chat/completions", CompletionsView.as_view(), name="chat_completions"),
    path("<path:rest>", UnknownEndpointView.as_view(), name="chat_nothing_here"),
]
