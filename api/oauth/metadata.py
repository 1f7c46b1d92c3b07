"""The metadata that clients read before they sign in: of the authorization server (RFC 8414) and of the protected
resource (RFC 9728)."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import HttpRequest
from oauth2_provider.views import OAuthProtectedResourceMetadataView, OAuthServerMetadataView

from accounts.models import Capability
from accounts.oauth_resources import mcp_resource, public_url_at, resource_at, rest_resource
from api.oauth.open_view import OpenView

_WELL_KNOWN = "/.well-known/oauth-protected-resource"


class ServerMetadataView(OpenView, OAuthServerMetadataView):
    """Of the authorization server."""


class RestMetadataView(OpenView, OAuthProtectedResourceMetadataView):
    """Of the REST API."""

    def get_resource(self, request: HttpRequest) -> str:
        return _as_asked(rest_resource(), request)


class McpMetadataView(OpenView, OAuthProtectedResourceMetadataView):
    """Of the MCP server. No tool changes anything, so clients are not led to ask for more than reading."""

    def get_resource(self, request: HttpRequest) -> str:
        return _as_asked(mcp_resource(), request)

    def get_scopes_supported(self) -> list[str]:
        return [Capability.QUERY.value, Capability.READ.value]


def challenge(request: HttpRequest, *, is_refused: bool) -> str:
    """The value of `WWW-Authenticate` for this request: where a client reads how to sign in. `is_refused`: there was a
    token, and it opens nothing."""
    return _challenge(request, scopes=[Capability.QUERY.value], error="invalid_token" if is_refused else "")


def scope_challenge(request: HttpRequest, *, granted: Sequence[str], needed: Capability) -> str:
    """For a token that may not do this: the scopes that it has, and the one that it needs as well."""
    return _challenge(request, scopes=[*granted, needed.value], error="insufficient_scope")


def _challenge(request: HttpRequest, *, scopes: Sequence[str], error: str) -> str:
    at = public_url_at(request.headers.get("Host", ""))
    metadata = at + _WELL_KNOWN + resource_at(request.path).removeprefix(rest_resource())
    parts = ['realm="lexic"', f'resource_metadata="{metadata}"', f'scope="{" ".join(scopes)}"']
    return f"Bearer {', '.join(parts)}" + (f', error="{error}"' if error else "")


def _as_asked(resource: str, request: HttpRequest) -> str:
    return public_url_at(request.headers.get("Host", "")) + resource.removeprefix(rest_resource())
