from __future__ import annotations

from django.contrib import admin
from django.urls import include, path

from lexic.http.health import healthz, readyz

# The builder's modules are loaded with the addresses that lead to them (`lexic.apps.UnloadedAdminConfig`).
admin.autodiscover()

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("admin/", admin.site.urls),
    path("accounts/", include("accounts.urls")),
    path("accounts/", include("allauth.urls")),
    path("", include("api.urls")),
    path("scim/v2/", include("api.scim.urls")),
    path("", include("querying.urls")),
    path("", include("connectors.urls")),
    path("", include("privacy.urls")),
    path("", include("marketplace.urls")),
    path("", include("conversations.urls")),
    path("", include("workspace.urls")),
]

handler400 = "lexic.http.error_handlers.handler400"
handler403 = "lexic.http.error_handlers.handler403"
handler404 = "lexic.http.error_handlers.handler404"
handler429 = "lexic.http.error_handlers.handler429"  # of allauth, whose forms have limits of their own
handler500 = "lexic.http.error_handlers.handler500"
