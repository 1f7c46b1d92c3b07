"""A program registers itself (RFC 7591)."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from oauth2_provider.models import Application
from rest_framework import serializers

from accounts.authorized_clients import make_room_for_client
from accounts.key_secrets import MAX_NAME_LENGTH, contains_key
from api.fields import StrictCharField
from api.oauth.redirects import MAX_REDIRECT_LENGTH, is_safe_redirect

_MAX_REDIRECTS, _MAX_GRANT_TYPES = 10, 10
_CODE, _REFRESH = "authorization_code", "refresh_token"
_AUTH_METHODS = ("none", "client_secret_basic", "client_secret_post")


class RegistrationSerializer(serializers.Serializer):
    """What is read of the metadata of a client. Anything else has no effect, as the specification has it."""

    redirect_uris = serializers.ListField(
        child=StrictCharField(max_length=MAX_REDIRECT_LENGTH), min_length=1, max_length=_MAX_REDIRECTS
    )
    client_name = StrictCharField(max_length=MAX_NAME_LENGTH, required=False, allow_blank=True, default="")
    token_endpoint_auth_method = serializers.ChoiceField(_AUTH_METHODS, default="client_secret_basic")
    grant_types = serializers.ListField(
        child=StrictCharField(max_length=100), max_length=_MAX_GRANT_TYPES, default=[_CODE]
    )
    response_types = serializers.ListField(child=StrictCharField(max_length=100), max_length=10, default=["code"])

    def validate_redirect_uris(self, value: list[str]) -> list[str]:
        if not all(map(is_safe_redirect, value)):
            raise serializers.ValidationError("Each is https, or http to 127.0.0.1, [::1] or localhost; no fragment.")
        return value

    def validate_client_name(self, value: str) -> str:
        if contains_key(value) or not value.isprintable():
            raise serializers.ValidationError("A name has no secret and no control characters.")
        return " ".join(value.split())

    def validate_grant_types(self, value: list[str]) -> list[str]:
        if _CODE not in value:
            raise serializers.ValidationError(f"Only {_CODE} and {_REFRESH} are known here.")
        return value

    def validate_response_types(self, value: list[str]) -> list[str]:
        if "code" not in value:
            raise serializers.ValidationError("Only “code” is known here.")
        return value


@transaction.atomic
def register_client(metadata: dict[str, Any]) -> dict[str, Any]:
    """Registers a client by its valid metadata; what it is told of itself, with its secret where it has one."""
    make_room_for_client()
    method = metadata["token_endpoint_auth_method"]
    client = Application(
        name=metadata["client_name"],
        redirect_uris=" ".join(metadata["redirect_uris"]),
        client_type=Application.CLIENT_PUBLIC if method == "none" else Application.CLIENT_CONFIDENTIAL,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
        registration_source=Application.RegistrationSource.DCR,
    )
    secret = client.client_secret  # hashed when it is saved
    client.save()
    registered = {
        "client_id": client.client_id,
        "client_id_issued_at": int(client.created.timestamp()),
        "redirect_uris": metadata["redirect_uris"],
        "grant_types": [_CODE, _REFRESH],
        "response_types": ["code"],
        "token_endpoint_auth_method": method,
        **({"client_name": client.name} if client.name else {}),
    }
    return registered if method == "none" else {**registered, "client_secret": secret, "client_secret_expires_at": 0}
