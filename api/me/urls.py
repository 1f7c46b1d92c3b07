from __future__ import annotations

from django.urls import path

from api.me import views

urlpatterns = [
    path("api/v1/me", views.MeView.as_view(), name="me"),
]
