from __future__ import annotations

from django.urls import path

from api.chat_completions import views

urlpatterns = [
    path("models", views.ModelsView.as_view(), name="chat_models"),
    path("models/<str:name>", views.ModelView.as_view(), name="chat_model"),
    path("chat/completions", views.CompletionsView.as_view(), name="chat_completions"),
    path("<path:rest>", views.UnknownEndpointView.as_view(), name="chat_nothing_here"),
]
