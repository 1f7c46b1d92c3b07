from __future__ import annotations

from django.urls import path

from api.sandbox import views

urlpatterns = [path("api/sandbox/<slug:plugin>", views.SandboxView.as_view(), name="sandbox")]
