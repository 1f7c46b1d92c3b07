"""`/api/api-keys`: a person's API keys, for themselves and for those of their keys that may author."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response

from accounts import api_keys
from accounts.models import ApiKey, ApiKeyQuerySet, Capability, UnknownKey, User
from accounts.reauthentication import ReauthenticationNeeded, check_recent_sign_in
from api.fields import validated
from api.keys import serializers
from api.pagination import DefaultPagination, page_response
from api.permissions import SessionRequired, missing_capability
from api.views import PrincipalView, first_or_raise
from lexic.errors import NotFound
from plugins.models import Plugin
from querying.query_log.key_usage import usage_by_key
from querying.releases import UnknownPlugin, find_plugin

_CHANGED_KEY_SCHEMA = PolymorphicProxySerializer(
    component_name="ChangedKey",
    serializers=[serializers.KeySerializer, serializers.KeyWithSecretSerializer],
    resource_type_field_name=None,
)


class UnknownKeyPlugin(NotFound):
    """There is no plugin of this name that you may ask."""

    code = "unknown_plugin"


class MayManageKeys(BasePermission):
    """Everybody who has signed in, author or not, and keys that may author."""

    def has_permission(self, request: Request, view: Any) -> bool:
        if isinstance(request.auth, ApiKey) and request.auth.is_of_client:
            raise SessionRequired  # a key outlives the tokens of a client
        if isinstance(request.auth, ApiKey) and not request.auth.can(Capability.AUTHOR):
            raise missing_capability(request._request, request.auth, Capability.AUTHOR)
        return isinstance(request.user, User)


class BaseKeyView(PrincipalView):
    permission_classes = [MayManageKeys]

    def get_queryset(self) -> ApiKeyQuerySet:
        keys = ApiKey.objects.manageable_by(self.principal)
        return keys.select_related("rotated_into").prefetch_related("limits__plugin")

    def get_key(self, pk: UUID) -> ApiKey:
        """Raises `UnknownKey`."""
        return first_or_raise(self.get_queryset().select_related("owner").filter(pk=pk), UnknownKey)


class KeysView(BaseKeyView):
    ordering = DefaultPagination.ordering

    @extend_schema(responses=serializers.KeySerializer(many=True))
    def get(self, request: Request) -> Response:
        """Your keys, the newest first; those that were revoked or have expired as well."""

        return page_response(self, self.get_queryset(), serializers.KeySerializer)

    @extend_schema(request=serializers.NewKeySerializer, responses={201: serializers.KeyWithSecretSerializer})
    def post(self, request: Request) -> Response:
        """A new key. This answer alone holds the secret, as `key`."""
        fields = validated(serializers.NewKeySerializer(data=request.data))
        slugs = dict.fromkeys(fields.pop("plugins", []))
        plugins = [_find_key_plugin(slug, principal=self.principal) for slug in slugs]
        key, secret = api_keys.issue_key(self.principal, plugins=plugins, **fields)
        return Response(_key_with_secret(self.get_key(key.pk), secret), status=201)


class KeyDetailView(BaseKeyView):
    @extend_schema(responses=serializers.KeySerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        """One key, without its secret."""
        return Response(serializers.KeySerializer(self.get_key(pk)).data)

    @extend_schema(request=serializers.KeyChangeSerializer, responses=_CHANGED_KEY_SCHEMA)
    def patch(self, request: Request, pk: UUID) -> Response:
        """Changes name, limits or expiry; or, with `{"reveal": true}`, answers with the secret once more."""
        fields, key = validated(serializers.KeyChangeSerializer(data=request.data)), self.get_key(pk)
        if fields.pop("reveal", False):
            body = _key_with_secret(key, _reveal_secret(request, key))
            return Response(body, headers={"Cache-Control": "no-store"})
        api_keys.update_key(key, by=self.principal, **fields)
        return Response(serializers.KeySerializer(key).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, pk: UUID) -> Response:
        """Revokes it, and the keys that were made with it. It stays in the list."""
        api_keys.revoke_key(self.get_key(pk), by=self.principal)
        return Response(status=204)


class RotateView(BaseKeyView):
    @extend_schema(request=serializers.RotateSerializer, responses={201: serializers.KeyWithSecretSerializer})
    def post(self, request: Request, pk: UUID) -> Response:
        """A new key in the place of this one, which goes on working for `overlapSeconds`: a day unless said."""
        overlap = validated(serializers.RotateSerializer(data=request.data))["overlap"]
        new, secret = api_keys.rotate_key(self.get_key(pk), by=self.principal, overlap=overlap)
        return Response(_key_with_secret(self.get_key(new.pk), secret), status=201)


class UsageView(BaseKeyView):
    @extend_schema(responses=serializers.KeyUsageSerializer)
    def get(self, request: Request, pk: UUID) -> Response:
        """The questions of the last 30 days, by day and outcome."""
        key = self.get_key(pk)
        return Response(serializers.KeyUsageSerializer(usage_by_key([key.pk])[key.pk]).data)


def _reveal_secret(request: Request, key: ApiKey) -> str:
    """The secret of the key. Raises `ReauthenticationNeeded` (a key can never reveal keys), and what the key raises."""
    if request.auth is not None or not isinstance(request.user, User):
        raise ReauthenticationNeeded(hint="Sign in on the pages; a key cannot reveal keys.")
    key.check_revealable()
    check_recent_sign_in(request._request)
    return key.reveal_to(request.user)


def _key_with_secret(key: ApiKey, secret: str) -> dict[str, Any]:
    return {**serializers.KeySerializer(key).data, "key": secret}


def _find_key_plugin(name: str, *, principal: User | ApiKey) -> Plugin:
    """Raises `UnknownKeyPlugin`."""
    try:
        return find_plugin(name, principal=principal)
    except UnknownPlugin:
        raise UnknownKeyPlugin from None
