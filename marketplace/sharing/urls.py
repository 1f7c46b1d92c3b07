from __future__ import annotations

from django.urls import path

from marketplace.sharing.views import install, installed

urlpatterns = [
    path("marketplace/<slug:slug>/install", install, name="install"),
    path("marketplace/<slug:slug>/installed", installed, name="installed"),
]
