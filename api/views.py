"""Base classes of the views of several resources."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from django.db.models import Model, QuerySet
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.models import ApiKey, Principal, User, user_of
from api.authentication import KEY_OR_SESSION, get_principal
from api.change_history import log_marked_change
from api.idempotency import IdempotentView
from api.permissions import LimitedKey, MayAuthor, MayOpenPrivate
from api.plugins.lookup import find_authored_plugin
from api.throttling import AnonymousThrottle, ApiKeyThrottle
from conversations.projects.access import find_project
from lexic.errors import LexicError

Row = TypeVar("Row", bound=Model)


class PrincipalView(IdempotentView):
    """A view for signed-in people and for keys, whose limits count. The permission says which of them may use it."""

    authentication_classes = KEY_OR_SESSION
    throttle_classes = [ApiKeyThrottle]

    @property
    def principal(self) -> Principal:
        return get_principal(self.request)

    @property
    def user(self) -> User:
        """The person, or the owner of the key."""
        return user_of(self.principal)


class AuthorView(PrincipalView):
    """A view for authors: by session, or by a key that may author (for GET: that may read)."""

    permission_classes = [MayAuthor]
    is_read_only = False

    def check_replay(self, request: Request) -> None:
        if reference := self.kwargs.get("plugin"):
            find_authored_plugin(self.principal, reference, for_editing=not self.is_read_only)

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        log_marked_change(request, response)
        return super().finalize_response(request, response, *args, **kwargs)


class PrivateView(PrincipalView):
    """For what people have for themselves: their projects, documents and conversations. By session, or by a key that
    may ask and read; one that is limited to some plugins sees none of it."""

    permission_classes = [MayOpenPrivate]
    is_read_only = False

    def check_replay(self, request: Request) -> None:
        self.check_opens_private()
        if project := self.kwargs.get("project"):
            find_project(self.principal, project, for_editing=not self.is_read_only)

    def get_maker(self) -> User:
        """The person for whom something private is made. Raises `LimitedKey`."""
        self.check_opens_private()
        return self.user

    def check_opens_private(self) -> None:
        """Refuses keys that open nothing private, where no lookup of an object does. Raises `LimitedKey`."""
        if isinstance(self.principal, ApiKey) and not self.principal.opens_private_bases():
            raise LimitedKey


class PublicView(APIView):
    """A view for anybody, limited by network address. Keys are ignored: public data is the same for all."""

    authentication_classes: list[Any] = []
    permission_classes = [AllowAny]
    throttle_classes = [AnonymousThrottle]


def put_like(patch: Callable[..., Response]) -> Callable[..., Response]:
    """A view's `put` that does what its `patch` does, with the same description of request and response."""

    @wraps(patch)
    def put(view: APIView, *args: Any, **kwargs: Any) -> Response:
        return patch(view, *args, **kwargs)

    put.__doc__ = "The same as PATCH: what is left out stays as it is."
    return put


def first_or_raise(rows: QuerySet[Row], error: type[LexicError]) -> Row:
    """The first of these rows. Raises the error where there is none."""
    if (row := rows.first()) is None:
        raise error
    return row
