"""What clients read before they sign in: the authorization server (RFC 8414) and what its tokens are for (RFC 9728)."""

from __future__ import annotations

from django.http import HttpRequest
from oauth2_provider.views import OAuthProtectedResourceMetadataView, OAuthServerMetadataView

from accounts.models import Capability
from accounts.oauth_resources import mcp_resource, resource_at, rest_resource
from api.oauth.open_view import OpenView

_WELL_KNOWN = "/.well-known/oauth-protected-resource"


class ServerMetadataView(OpenView, OAuthServerMetadataView):
    """Of the authorization server."""


class RestMetadataView(OpenView, OAuthProtectedResourceMetadataView):
    """Of the REST API."""

    def get_resource(self, request: HttpRequest) -> str:
        return rest_resource()


class McpMetadataView(OpenView, OAuthProtectedResourceMetadataView):
    """Of the MCP server. No tool changes anything, so clients are not led to ask for more than reading."""

    def get_resource(self, request: HttpRequest) -> str:
        return mcp_resource()

    def get_scopes_supported(self) -> list[str]:
        return [Capability.QUERY.value, Capability.READ.value]


def challenge(path: str, *, is_refused: bool) -> str:
    """The value of `WWW-Authenticate` for a request at this path: where a client reads how to sign in. `is_refused`:
    there was a token, and it opens nothing."""
    resource = resource_at(path)
    metadata = rest_resource() + _WELL_KNOWN + resource.removeprefix(rest_resource())
    parts = ['realm="lexic"', f'resource_metadata="{metadata}"', f'scope="{Capability.QUERY.value}"']
    if is_refused:
        parts.append('error="invalid_token"')
    return f"Bearer {', '.join(parts)}"
