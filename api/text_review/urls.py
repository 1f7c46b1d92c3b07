from __future__ import annotations

from django.urls import path

from api.text_review import views

urlpatterns = [path("api/v1/review", views.ReviewView.as_view(), name="review")]
