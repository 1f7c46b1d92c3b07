"""The permission that a key needs for a view. A person who has signed in may do what the builder lets them do."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from accounts.models import ApiKey, Capability, User
from api.oauth.metadata import scope_challenge
from lexic.errors import NotAllowed


class MissingCapability(NotAllowed):
    """This key may not do this."""

    code = "missing_capability"
    # The value of `WWW-Authenticate`, which tells an OAuth client what to ask its person for (RFC 6750).
    auth_header: str | None = None

    def __init__(self, needed: Capability) -> None:
        # The page of keys offers the others to those alone who have begun to build plugins.
        first = "" if needed == Capability.QUERY else " The page of keys offers it once you have opened “For experts”."
        super().__init__(
            hint=f"Create a key with the capability “{needed.value}”, or sign in again and allow it.{first}"
        )
        self.needed = needed


class NotAnAuthor(NotAllowed):
    """This account does not build plugins yet."""

    code = "not_an_author"
    hint = "Become an author on the pages first: “Build a plugin”."


class LimitedKey(NotAllowed):
    """This key is limited to some plugins, and opens nothing private."""

    code = "limited_key"
    hint = "Use a key without a list of plugins, or sign in on the pages."


class SessionRequired(NotAllowed):
    """No key may do this, only you yourself."""

    code = "session_required"
    hint = "Sign in on the pages, and do it there."


class MayQuery(BasePermission):
    """A key that may ask questions."""

    def has_permission(self, request: Request, view: Any) -> bool:
        return isinstance(request.auth, ApiKey) and _require_capability(request, Capability.QUERY)


class MayAsk(BasePermission):
    """Whoever may ask: anybody who has signed in, and a key that may ask or author."""

    def has_permission(self, request: Request, view: Any) -> bool:
        if isinstance(request.auth, ApiKey):
            return _require_capability(request, Capability.AUTHOR, Capability.QUERY)
        return isinstance(request.user, User)


class MayAuthor(BasePermission):
    """Authors, by session or by a key that may author; to read, a key that may read is enough.

    A view whose POST changes nothing sets `is_read_only`.
    """

    def has_permission(self, request: Request, view: Any) -> bool:
        if not isinstance(request.user, User):
            return False  # 401: nobody is authenticated
        if isinstance(request.auth, ApiKey):
            reads = request.method in SAFE_METHODS or getattr(view, "is_read_only", False)
            _require_capability(request, *([Capability.READ] if reads else []), Capability.AUTHOR)
        if not request.user.is_staff:  # a key may do no more than its owner
            raise NotAnAuthor
        return True


class MayOpenPrivate(BasePermission):
    """Anybody who has signed in, and a key that may ask and read. To change documents or projects a key has to author
    as well: views that do not change these set `is_read_only`."""

    def has_permission(self, request: Request, view: Any) -> bool:
        if not isinstance(request.user, User):
            return False  # 401: nobody is authenticated
        if isinstance(request.auth, ApiKey):
            reads = request.method in SAFE_METHODS or getattr(view, "is_read_only", False)
            for capability in (Capability.QUERY, Capability.READ, *([] if reads else [Capability.AUTHOR])):
                _require_capability(request, capability)
        return True


class BySession(BasePermission):
    """Anybody who has signed in on the pages. No key: whoever holds one must not reach further than Lexic."""

    def has_permission(self, request: Request, view: Any) -> bool:
        if isinstance(request.auth, ApiKey):
            raise SessionRequired
        return isinstance(request.user, User)


def missing_capability(request: HttpRequest, key: ApiKey, needed: Capability) -> MissingCapability:
    """The error for a request by this key, with its challenge."""
    error = MissingCapability(needed)
    error.auth_header = scope_challenge(request, granted=key.capabilities, needed=needed)
    return error


def _require_capability(request: Request, *one_of: Capability) -> bool:
    key = request.auth
    assert isinstance(key, ApiKey)
    if any(key.can(capability) for capability in one_of):
        return True
    raise missing_capability(request._request, key, one_of[-1])
