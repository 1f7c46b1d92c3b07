from __future__ import annotations

from django.urls import path

from api.collaborate import views

urlpatterns = [path("api/v1/collaborate", views.CollaborateView.as_view(), name="collaborate")]
