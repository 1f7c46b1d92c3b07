"""The bearer key: the one way into the API for agents. Header only, never a query parameter or a cookie."""

from __future__ import annotations

from typing import Any

from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from accounts.models import ApiKey, Capability, User
from lexic.errors import NotAllowed


class ApiKeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer lx_…` → the key's owner as `request.user`, the key as `request.auth`."""

    def authenticate(self, request: Request) -> tuple[User, ApiKey] | None:
        scheme, _, secret = get_authorization_header(request).partition(b" ")
        if scheme.lower() != b"bearer":
            return None
        key = ApiKey.objects.for_secret(secret.strip().decode("latin-1"))
        if key is None:
            raise AuthenticationFailed("This API key is unknown, expired or revoked.", code="invalid_key")
        key.touch()
        return key.owner, key

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="lexic"'


class MissingCapability(NotAllowed):
    """This key may not ask questions."""

    code = "missing_capability"
    hint = "Make a key with the capability “query”."


class MayQuery(BasePermission):
    def has_permission(self, request: Request, view: Any) -> bool:
        if isinstance(request.auth, ApiKey) and request.auth.can(Capability.QUERY):
            return True
        raise MissingCapability
