"""`/api/api-keys`: a person's keys, looked after by themselves or by a key that may author."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts import api_keys
from accounts.models import ApiKey, ApiKeyQuerySet, Capability, UnknownKey, User
from accounts.reauthentication import ReauthenticationNeeded, check_recent_sign_in
from api.authentication import KEY_OR_SESSION, get_principal
from api.fields import QueryParameters
from api.keys.serializers import (
    KeyChangeSerializer,
    KeySerializer,
    KeyUsageSerializer,
    KeyWithSecretSerializer,
    NewKeySerializer,
    RotateSerializer,
)
from api.pagination import DefaultPagination
from api.permissions import MissingCapability
from api.throttling import ApiKeyThrottle
from lexic.errors import NotFound
from plugins.models import Plugin
from querying.audit.key_usage import usage_by_key

_CHANGED_KEY_SCHEMA = PolymorphicProxySerializer(
    component_name="ChangedKey", serializers=[KeySerializer, KeyWithSecretSerializer], resource_type_field_name=None
)


class NoSuchPlugin(NotFound):
    """There is no plugin of this name that you may ask."""

    code = "unknown_plugin"


class MayManageKeys(BasePermission):
    """Everybody who has signed in, author or not; of keys, those that may author."""

    def has_permission(self, request: Request, view: Any) -> bool:
        if isinstance(request.auth, ApiKey) and not request.auth.can(Capability.AUTHOR):
            raise MissingCapability(hint="Make a key with the capability “author”.")
        return isinstance(request.user, User)


class BaseKeyView(APIView):
    authentication_classes = KEY_OR_SESSION
    permission_classes = [MayManageKeys]
    throttle_classes = [ApiKeyThrottle]

    def keys(self) -> ApiKeyQuerySet:
        kept = ApiKey.objects.manageable_by(get_principal(self.request))
        return kept.select_related("rotated_into").prefetch_related("limits__plugin")

    def key(self, pk: UUID) -> ApiKey:
        """Raises `NoSuchKey`."""
        key = self.keys().select_related("owner").filter(pk=pk).first()
        if key is None:
            raise UnknownKey
        return key


class KeysView(BaseKeyView):
    ordering = DefaultPagination.ordering

    @extend_schema(responses=KeySerializer(many=True))
    def get(self, request: Request) -> Response:
        """Your keys, the newest first; those that were revoked or have expired as well."""
        pages = DefaultPagination()
        QueryParameters.read(request)
        page = pages.paginate_queryset(self.keys(), request, view=self)
        return pages.get_paginated_response(KeySerializer(page, many=True).data)

    @extend_schema(request=NewKeySerializer, responses={201: KeyWithSecretSerializer})
    def post(self, request: Request) -> Response:
        """A new key. This answer alone holds the secret, as `key`."""
        wanted = _validated_data(NewKeySerializer(data=request.data))
        principal = get_principal(request)
        plugins = [_get_visible_plugin(principal, slug) for slug in dict.fromkeys(wanted.pop("plugins", []))]
        key, secret = api_keys.issue_key(principal, plugins=plugins, **wanted)
        return Response(_key_with_secret(self.key(key.pk), secret), status=201)


class KeyDetailView(BaseKeyView):
    @extend_schema(responses=KeySerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        """One key, without its secret."""
        return Response(KeySerializer(self.key(pk)).data)

    @extend_schema(request=KeyChangeSerializer, responses=_CHANGED_KEY_SCHEMA)
    def patch(self, request: Request, pk: UUID) -> Response:
        """Changes name, limits or expiry; or, with `{"reveal": true}`, answers with the secret once more."""
        wanted, key = _validated_data(KeyChangeSerializer(data=request.data)), self.key(pk)
        if wanted.pop("reveal", False):
            return Response(
                _key_with_secret(key, _reveal_secret(request, key)), headers={"Cache-Control": "no-store"}
            )
        api_keys.update_key(key, by=get_principal(request), **wanted)
        return Response(KeySerializer(key).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, pk: UUID) -> Response:
        """Revokes it, and the keys that were made with it. It stays in the list."""
        api_keys.revoke_key(self.key(pk), by=get_principal(request))
        return Response(status=204)


class RotateView(BaseKeyView):
    @extend_schema(request=RotateSerializer, responses={201: KeyWithSecretSerializer})
    def post(self, request: Request, pk: UUID) -> Response:
        """A new key in the place of this one, which goes on working for `overlapSeconds`: a day unless said."""
        wanted = _validated_data(RotateSerializer(data=request.data))
        new, secret = api_keys.rotate_key(self.key(pk), by=get_principal(request), overlap=wanted["overlap"])
        return Response(_key_with_secret(self.key(new.pk), secret), status=201)


class UsageView(BaseKeyView):
    @extend_schema(responses=KeyUsageSerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        """The questions of the last 30 days, by day and outcome."""
        key = self.key(pk)
        return Response(KeyUsageSerializer(usage_by_key([key.pk])[key.pk]).data)


def _validated_data(serializer: Any) -> dict[str, Any]:
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)


def _get_visible_plugin(principal: User | ApiKey, slug: str) -> Plugin:
    plugin = Plugin.objects.visible_to(principal).filter(slug=slug).first()
    if plugin is None:
        raise NoSuchPlugin
    return plugin


def _reveal_secret(request: Request, key: ApiKey) -> str:
    """Raises `FreshSignInNeeded` (a key can never be fresh), `RevealingIsOff` and `NoCopy`."""
    if request.auth is not None or not isinstance(request.user, User):
        raise ReauthenticationNeeded(hint="Sign in on the pages; a key cannot reveal keys.")
    key.check_revealable()
    check_recent_sign_in(request._request)
    return key.reveal_to(request.user)


def _key_with_secret(key: ApiKey, secret: str) -> dict[str, Any]:
    return {**KeySerializer(key).data, "key": secret}
