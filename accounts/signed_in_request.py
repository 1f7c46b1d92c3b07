"""The person behind a request that requires signing in.

Views that require it take a `SignedInRequest`. Where the framework prescribes `HttpRequest`, as in the admin,
`signed_in_user` gives the same person.
"""

from __future__ import annotations

from django.http import HttpRequest

from accounts.models import User


class SignedInRequest(HttpRequest):
    """A request of a person: `login_required`, the builder, or the like has made sure of it."""

    user: User


def signed_in_user(request: HttpRequest) -> User:
    """The person who makes this request. Whatever lets the request through has made sure that there is one."""
    assert isinstance(request.user, User)
    return request.user


def user_or_none(request: HttpRequest) -> User | None:
    """The person who makes this request; None for whoever has not signed in."""
    return request.user if isinstance(request.user, User) else None
