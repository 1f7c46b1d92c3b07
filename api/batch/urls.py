from __future__ import annotations

from django.urls import path

from api.batch import views

urlpatterns = [
    path("api/v1/batch", views.BatchesView.as_view(), name="batches"),
    path("api/v1/batch/<uuid:batch>", views.BatchView.as_view(), name="batch"),
    path("api/v1/batch/<uuid:batch>/cancel", views.BatchCancelView.as_view(), name="batch_cancel"),
    path("api/v1/batch/<uuid:batch>/results", views.BatchResultsView.as_view(), name="batch_results"),
]
