from __future__ import annotations

from django.urls import path

from marketplace.catalogue.browse import browse
from marketplace.catalogue.feed import Releases

urlpatterns = [
    path("marketplace", browse, name="marketplace"),
    path("marketplace/releases.atom", Releases(), name="releases_feed"),
]
