from __future__ import annotations

from django.urls import path

from api.health import views

urlpatterns = [path("api/health", views.HealthView.as_view(), name="api_health")]
