from __future__ import annotations

from django.urls import path

from api.oauth import metadata, views
from api.oauth.consent import ConsentView

# The library finds the addresses by these names.
app_name = "oauth2_provider"
_SERVER, _RESOURCE = ".well-known/oauth-authorization-server", ".well-known/oauth-protected-resource"

urlpatterns = [
    path(_SERVER, metadata.ServerMetadataView.as_view(), name="oauth-server-metadata"),
    path(_RESOURCE, metadata.RestMetadataView.as_view(), name="oauth-resource-metadata"),
    path(f"{_RESOURCE}/mcp", metadata.McpMetadataView.as_view(), name="oauth-resource-metadata-mcp"),
    path("oauth/authorize", ConsentView.as_view(), name="authorize"),
    path("oauth/token", views.TokenView.as_view(), name="token"),
    path("oauth/revoke", views.RevokeView.as_view(), name="revoke-token"),
    path("oauth/register", views.RegistrationView.as_view(), name="dcr-register"),
]
