from __future__ import annotations

from django.urls import path

from marketplace.catalogue.releases_feed import ReleasesFeed
from marketplace.catalogue.views import browse_view

urlpatterns = [
    path("marketplace", browse_view, name="marketplace"),
    path("marketplace/releases.atom", ReleasesFeed(), name="releases_feed"),
]
