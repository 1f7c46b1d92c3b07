from __future__ import annotations

from django.urls import path

from marketplace.sharing.views import install_view, installed_view, site_key_view

urlpatterns = [
    path(".well-known/lexic-site-key", site_key_view, name="site_key"),
    path("marketplace/<slug:slug>/install", install_view, name="install"),
    path("marketplace/<slug:slug>/installed", installed_view, name="installed"),
]
