from __future__ import annotations

from django.urls import path

from api.responses import views

urlpatterns = [
    path("v1/responses", views.ResponsesView.as_view(), name="responses"),
    path("v1/responses/<str:response_id>", views.ResponseView.as_view(), name="response"),
]
