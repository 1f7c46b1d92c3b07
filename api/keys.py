"""`/api/api-keys`: a person's keys, looked after by themselves or by a key that may author."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts import keeping
from accounts.fresh import FreshSignInNeeded, check_fresh
from accounts.models import ApiKey, ApiKeyQuerySet, Capability, NoSuchKey, User
from api.authentication import KEY_OR_SESSION, principal_of
from api.fields import Parameters
from api.keys_body import (
    ChangeSerializer,
    KeySerializer,
    NewKeySerializer,
    NewSecretSerializer,
    RotateSerializer,
    UseSerializer,
)
from api.pagination import Pages
from api.permissions import MissingCapability
from api.throttling import KeyThrottle
from lexic.errors import NotFound
from plugins.models import Plugin
from querying.usage import use_of

_KEPT = PolymorphicProxySerializer(
    component_name="ChangedKey", serializers=[KeySerializer, NewSecretSerializer], resource_type_field_name=None
)


class NoSuchPlugin(NotFound):
    """There is no plugin of this name that you may ask."""

    code = "unknown_plugin"


class MayKeepKeys(BasePermission):
    """Everybody who has signed in, author or not; of keys, those that may author."""

    def has_permission(self, request: Request, view: Any) -> bool:
        if isinstance(request.auth, ApiKey) and not request.auth.can(Capability.AUTHOR):
            raise MissingCapability(hint="Make a key with the capability “author”.")
        return isinstance(request.user, User)


class KeyView(APIView):
    authentication_classes = KEY_OR_SESSION
    permission_classes = [MayKeepKeys]
    throttle_classes = [KeyThrottle]

    def keys(self) -> ApiKeyQuerySet:
        kept = ApiKey.objects.kept_by(principal_of(self.request))
        return kept.select_related("rotated_into").prefetch_related("limits__plugin")

    def key(self, pk: UUID) -> ApiKey:
        """Raises `NoSuchKey`."""
        key = self.keys().select_related("owner").filter(pk=pk).first()
        if key is None:
            raise NoSuchKey
        return key


class KeysView(KeyView):
    ordering = Pages.ordering

    @extend_schema(responses=KeySerializer(many=True))
    def get(self, request: Request) -> Response:
        """Your keys, the newest first; those that were revoked or have expired as well."""
        pages = Pages()
        Parameters.read(request)
        page = pages.paginate_queryset(self.keys(), request, view=self)
        return pages.get_paginated_response(KeySerializer(page, many=True).data)

    @extend_schema(request=NewKeySerializer, responses={201: NewSecretSerializer})
    def post(self, request: Request) -> Response:
        """A new key. This answer alone holds the secret, as `key`."""
        wanted = _valid(NewKeySerializer(data=request.data))
        principal = principal_of(request)
        plugins = [_plugin(principal, slug) for slug in dict.fromkeys(wanted.pop("plugins", []))]
        key, secret = keeping.issue(principal, plugins=plugins, **wanted)
        return Response(_with_secret(self.key(key.pk), secret), status=201)


class OneKeyView(KeyView):
    @extend_schema(responses=KeySerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        """One key, without its secret."""
        return Response(KeySerializer(self.key(pk)).data)

    @extend_schema(request=ChangeSerializer, responses=_KEPT)
    def patch(self, request: Request, pk: UUID) -> Response:
        """Changes name, limits or expiry; or, with `{"reveal": true}`, answers with the secret once more."""
        wanted, key = _valid(ChangeSerializer(data=request.data)), self.key(pk)
        if wanted.pop("reveal", False):
            return Response(_with_secret(key, _revealed(request, key)), headers={"Cache-Control": "no-store"})
        keeping.change(key, by=principal_of(request), **wanted)
        return Response(KeySerializer(key).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, pk: UUID) -> Response:
        """Revokes it, and the keys that were made with it. It stays in the list."""
        keeping.revoke(self.key(pk), by=principal_of(request))
        return Response(status=204)


class RotateView(KeyView):
    @extend_schema(request=RotateSerializer, responses={201: NewSecretSerializer})
    def post(self, request: Request, pk: UUID) -> Response:
        """A new key in the place of this one, which goes on working for `overlapSeconds`: a day unless said."""
        wanted = _valid(RotateSerializer(data=request.data))
        new, secret = keeping.rotate(self.key(pk), by=principal_of(request), overlap=wanted["overlap"])
        return Response(_with_secret(self.key(new.pk), secret), status=201)


class UsageView(KeyView):
    @extend_schema(responses=UseSerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        """The questions of the last 30 days, by day and outcome."""
        key = self.key(pk)
        return Response(UseSerializer(use_of([key.pk])[key.pk]).data)


def _valid(serializer: Any) -> dict[str, Any]:
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)


def _plugin(principal: User | ApiKey, slug: str) -> Plugin:
    plugin = Plugin.objects.visible_to(principal).filter(slug=slug).first()
    if plugin is None:
        raise NoSuchPlugin
    return plugin


def _revealed(request: Request, key: ApiKey) -> str:
    """Raises `FreshSignInNeeded` (a key can never be fresh), `RevealingIsOff` and `NoCopy`."""
    if request.auth is not None or not isinstance(request.user, User):
        raise FreshSignInNeeded(hint="Sign in on the pages; a key cannot reveal keys.")
    key.check_revealable()
    check_fresh(request._request)
    return key.reveal_to(request.user)


def _with_secret(key: ApiKey, secret: str) -> dict[str, Any]:
    return {**KeySerializer(key).data, "key": secret}
