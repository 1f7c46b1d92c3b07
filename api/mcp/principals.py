"""The principal of a call: a key, over HTTP and on stdio. The call counts against the key's limits."""

from __future__ import annotations

import hashlib
import io
from abc import ABC, abstractmethod
from typing import Any

from mcp.server.context import ServerRequestContext
from rest_framework.request import Request

from accounts.models import ApiKey, Capability
from accounts.rate_limits import Allowance, count_key_request
from api.authentication import ApiKeyAuthentication
from api.permissions import MissingCapability
from lexic.errors import try_again_in
from lexic.http.asgi_request import AnyTypeRequest
from lexic.http.error_handlers import NotAuthenticated, TooManyRequests

# Where `http` leaves for the tools the key, and what is left of its limits if the message counts.
KEY_IN_SCOPE, ALLOWANCE_IN_SCOPE = "lexic.key", "lexic.allowance"
# A key needs one of these to read a whole page.
PAGE_CAPABILITIES = (Capability.READ, Capability.AUTHOR)
_IS_RESOLVED_IN_SCOPE = "lexic.is_resolved"

RequestContext = ServerRequestContext[Any, Any]


class KeyRateLimited(TooManyRequests):
    """This key has used up its requests."""

    hint = "The owner of the key can raise its limits."

    def __init__(self, allowance: Allowance) -> None:
        super().__init__(f"Too many requests. {try_again_in(allowance.retry_after or 1)}")
        self.allowance = allowance
        self.retry_after = allowance.retry_after

    def as_dict(self) -> dict[str, Any]:
        return {**super().as_dict(), "retry_after": self.retry_after}


class InvalidKey(NotAuthenticated):
    """This API key is unknown, expired or revoked."""

    hint = "Give a key that works: --key lx_..., or the variable LEXIC_API_KEY."


class CallerResolver(ABC):
    @abstractmethod
    def resolve(self, context: RequestContext) -> ApiKey:
        """The key of this call, in a thread. Raises `InvalidKey`, `KeyRateLimited`."""

    @abstractmethod
    def look_up(self, context: RequestContext) -> ApiKey:
        """The key of a request that does not count, in a thread. Raises `InvalidKey`."""

    @abstractmethod
    def principal_id(self, context: RequestContext) -> str:
        """The caller to whom a clarification is bound: only this caller can answer it."""


class HttpCallerResolver(CallerResolver):
    """`http` has looked up the key and counted the request before the protocol is spoken."""

    def resolve(self, context: RequestContext) -> ApiKey:
        """A tool that asks again after its user has answered asks with a key that may have been revoked meanwhile."""
        assert context.request is not None
        scope = context.request.scope
        if scope.get(_IS_RESOLVED_IN_SCOPE):
            scope[KEY_IN_SCOPE] = authenticate_key(AnyTypeRequest(scope, io.BytesIO()))
            scope[ALLOWANCE_IN_SCOPE] = count_key_request(scope[KEY_IN_SCOPE])
        scope[_IS_RESOLVED_IN_SCOPE] = True
        allowance = scope[ALLOWANCE_IN_SCOPE]
        if allowance and allowance.is_refused:
            raise KeyRateLimited(allowance)
        return self.look_up(context)

    def look_up(self, context: RequestContext) -> ApiKey:
        assert context.request is not None
        key: ApiKey = context.request.scope[KEY_IN_SCOPE]
        return key

    def principal_id(self, context: RequestContext) -> str:
        assert context.request is not None
        return str(context.request.scope[KEY_IN_SCOPE].pk)


class StdioCallerResolver(CallerResolver):
    """One key for the process. It is looked up again for each call, so that revoking it works at once."""

    def __init__(self, secret: str) -> None:
        self._secret = secret

    def key(self) -> ApiKey:
        """The key, not counted. Raises `InvalidKey`."""
        key = ApiKey.objects.for_secret(self._secret)
        if key is None:
            raise InvalidKey
        return key

    def look_up(self, context: RequestContext) -> ApiKey:
        return self.key()

    def resolve(self, context: RequestContext) -> ApiKey:
        key = self.key()
        key.touch()
        if (allowance := count_key_request(key)).is_refused:
            raise KeyRateLimited(allowance)
        return key

    def principal_id(self, context: RequestContext) -> str:
        return hashlib.sha256(self._secret.encode()).hexdigest()


def authenticate_key(request: AnyTypeRequest) -> ApiKey:
    """The key that the request has. Raises `NotAuthenticated`, and what the REST API's authentication raises."""
    found = ApiKeyAuthentication().authenticate(Request(request))
    if found is None:
        raise NotAuthenticated
    return found[1]


def check_capability(key: ApiKey, *one_of: Capability) -> None:
    """Raises `MissingCapability` for a key that has none of these."""
    if not any(key.can(capability) for capability in one_of):
        raise MissingCapability(one_of[0])
