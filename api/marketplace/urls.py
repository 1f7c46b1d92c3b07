from __future__ import annotations

from django.urls import path

from api.marketplace import views

_LISTING = "api/marketplace/<slug:plugin>"

urlpatterns = [
    path("api/marketplace", views.MarketplaceView.as_view(), name="marketplace_list"),
    path(_LISTING, views.ListingView.as_view(), name="marketplace_listing"),
    path(f"{_LISTING}/stats", views.StatsView.as_view(), name="marketplace_stats"),
    path(f"{_LISTING}/reviews", views.ReviewsView.as_view(), name="marketplace_reviews"),
    path(f"{_LISTING}/download", views.SharedDownloadView.as_view(), name="marketplace_download"),
    path(f"{_LISTING}/install", views.InstallView.as_view(), name="marketplace_install"),
]
