from __future__ import annotations

from django.urls import path

from marketplace.site.landing import plugin

urlpatterns = [path("marketplace/<slug:slug>", plugin, name="plugin")]
