"""How callers authenticate: an agent with a bearer key, or a person who has signed in on the pages."""

from __future__ import annotations

from rest_framework.authentication import BaseAuthentication, SessionAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from accounts.authorized_clients import key_of_token
from accounts.models import ApiKey, Principal, User
from accounts.oauth_resources import resource_at
from api.oauth.metadata import challenge


class InvalidCredentials(AuthenticationFailed):
    default_detail = "This API key is unknown, expired or revoked."
    default_code = "invalid_key"


class ApiKeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer lx_…` → the key's owner as `request.user`, the key as `request.auth`. An access token of
    an OAuth client (`lxa_…`) works like a key, at the URL that it was issued for.

    Only the header counts, never a query parameter or a cookie.
    """

    def authenticate(self, request: Request) -> tuple[User, ApiKey] | None:
        scheme, _, secret = get_authorization_header(request).partition(b" ")
        if scheme.lower() != b"bearer":
            return None
        text = secret.strip().decode("latin-1")
        if text.startswith("lxa_"):
            key = key_of_token(text, resource=resource_at(request.path))
        else:
            key = ApiKey.objects.for_secret(text)
        if key is None:
            raise InvalidCredentials
        key.touch()
        request._request.api_key = key  # type: ignore[attr-defined]  # for api.cors
        return key.owner, key

    def authenticate_header(self, request: Request) -> str:
        return challenge(request._request, is_refused=bool(get_authorization_header(request)))


# For views that authors use: the session of the site counts as well, with its CSRF token.
KEY_OR_SESSION = [ApiKeyAuthentication, SessionAuthentication]


def get_principal(request: Request) -> Principal:
    """The API key of the request, or else the person who has signed in. The permission class of the view refuses all
    others."""
    principal = request.auth if isinstance(request.auth, ApiKey) else request.user
    assert isinstance(principal, User | ApiKey)
    return principal
