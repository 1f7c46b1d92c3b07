from __future__ import annotations

from django.urls import path

from marketplace.site.landing import home

urlpatterns = [
    path("marketplace", home, name="marketplace"),
    path("marketplace/releases.atom", home, name="releases_feed"),
]
