from __future__ import annotations

from django.urls import include, path

from querying.views import redirect_to_sandbox

urlpatterns = [
    path("", include("marketplace.site.urls")),
    path("", include("marketplace.catalogue.urls")),
    path("", include("marketplace.plugin_page.urls")),
    path("", include("marketplace.sharing.urls")),
    path("", include("marketplace.reviews.urls")),
    path("ask/<slug:slug>", redirect_to_sandbox, name="ask"),
]
