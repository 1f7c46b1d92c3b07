from __future__ import annotations

from django.urls import path

from api.contracts import views

_REVIEW = "api/contract-reviews/<uuid:review>"

urlpatterns = [
    path("api/contract-reviews", views.ContractReviewsView.as_view(), name="api_contract_reviews"),
    path(_REVIEW, views.ContractReviewView.as_view(), name="api_contract_review"),
    path(f"{_REVIEW}/retry", views.RetryReviewView.as_view(), name="api_contract_review_retry"),
    path(f"{_REVIEW}/findings/<int:finding>", views.FindingView.as_view(), name="api_finding"),
    path(f"{_REVIEW}/export", views.ReviewExportView.as_view(), name="api_contract_review_export"),
    path("api/playbooks", views.PlaybooksView.as_view(), name="api_playbooks"),
]
