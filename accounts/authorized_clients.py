"""OAuth clients that act for people: letting one in, what its tokens open, and the end of it.

The rights of a client are those of a key, so that limits, plugins, the log and the account's page are the same for
both. A token has no more of them than its scopes.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.core.cache import cache
from django.db import models, transaction
from django.utils import timezone
from oauth2_provider.models import AccessToken, Application, Grant, RefreshToken, clear_expired

from accounts import api_keys, key_secrets
from accounts.client_models import AuthorizedClient
from accounts.models import ApiKey, User
from accounts.session_providers import acting_providers

# Clients that registered themselves and that nobody let in: how long they are kept, and how many.
UNUSED_FOR, MAX_UNUSED = timedelta(days=7), 5000
# How long a code that was exchanged is remembered.
_REPLAY_SECONDS = 600


@transaction.atomic
def authorize_client(
    application: Application, *, user: User, capabilities: Collection[str], plugins: Collection[Any]
) -> AuthorizedClient:
    """Lets the client act for this person: of these plugins, or without any of all that they may ask. It replaces what
    the client could do before. Raises `TooManyKeys`."""
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    known = AuthorizedClient.objects.filter(user=user, application=application).first()
    key = ApiKey.objects.usable().filter(pk=known.key_id).first() if known else None
    if key is not None and set(key.issued_through) != (acting_providers(user) or set()):
        key.revoke()  # a session that began otherwise neither takes over its rights nor adds to them
        key = None
    if key is None:
        # What was revoked stays so: no token of that time may work with the new rights.
        end_tokens(user=user, application=application)
        key = _issue_key(application, user=user, capabilities=capabilities, plugins=plugins)
    else:
        key.capabilities = sorted(capabilities)
        key.save(update_fields=["capabilities"])
        key.limits.exclude(plugin__in=plugins).delete()
        key.limits.filter(plugin=None).delete()
        key.plugins.add(*plugins)
    client, _ = AuthorizedClient.objects.update_or_create(
        user=user, application=application, defaults={"key": key, "authorized_at": timezone.now()}
    )
    return client


def key_of_token(secret: str, *, resource: str) -> ApiKey | None:
    """The key behind this access token, with no more capabilities than the token's scopes; None where the token is
    unknown, has expired, or is for another resource, and where its client may not act for the person any more."""
    if not key_secrets.looks_like_access_token(secret):
        return None
    tokens = AccessToken.objects.filter(expires__gt=timezone.now(), resource__contains=[resource])
    token = tokens.filter(token_checksum=key_secrets.hash_secret(secret)).exclude(user=None).first()
    if token is None:
        return None
    keys = ApiKey.objects.usable().select_related("owner").filter(authorized_client__user=token.user_id)
    key = keys.filter(authorized_client__application=token.application_id).first()
    if key is not None:
        key.capabilities = [one for one in key.capabilities if one in token.scope.split()]
    return key


def is_authorized(application: Application, *, user: User) -> bool:
    """Whether the client may act for this person."""
    return (
        ApiKey.objects.usable()
        .filter(authorized_client__user=user, authorized_client__application=application)
        .exists()
    )


def lock_token_exchange(*, code: str, refresh_token: str) -> None:
    """Locks this code or refresh token: no other request exchanges it before the transaction ends."""
    Grant.objects.select_for_update().filter(code=code).first()
    RefreshToken.objects.select_for_update().filter(token_checksum=key_secrets.hash_secret(refresh_token)).first()


def remember_used_code(code: str, token: RefreshToken) -> None:
    """For as long as somebody who has stolen the code may try it."""
    cache.set(_exchanged_name(code), str(token.token_family), timeout=_REPLAY_SECONDS)


def revoke_replayed_code(code: str, *, application: Application) -> None:
    """Ends the tokens that the client once had for this code: it comes a second time, so somebody has copied it."""
    family = cache.get(_exchanged_name(code))
    if family and RefreshToken.objects.filter(token_family=family, application=application).exists():
        RefreshToken.revoke_family(UUID(family))


def _exchanged_name(code: str) -> str:
    return f"oauth-code:{key_secrets.hash_secret(code)}"


def end_tokens(*, user: User, application: Application) -> None:
    """Deletes all that the client has for this person."""
    for model in (Grant, RefreshToken, AccessToken):
        model.objects.filter(user=user, application=application).delete()


def forget_ended() -> None:
    """Deletes tokens that have expired or whose key was revoked, and clients that no person has authorized."""
    clear_expired()
    for client in AuthorizedClient.objects.exclude(key__revoked_at=None).select_related("user", "application"):
        end_tokens(user=client.user, application=client.application)
    _unused_clients().filter(created__lt=timezone.now() - UNUSED_FOR).delete()


def make_room_for_client() -> None:
    """If there are too many clients, deletes the oldest that no person has authorized."""
    oldest = _unused_clients().order_by("-created").values_list("pk", flat=True)[MAX_UNUSED - 1 :]
    Application.objects.filter(pk__in=list(oldest)).delete()


def _unused_clients() -> models.QuerySet[Application]:
    """Clients that no person has authorized, except those that an operator created."""
    is_used = AuthorizedClient.objects.filter(application=models.OuterRef("pk"))
    made_themselves = Application.objects.exclude(registration_source=Application.RegistrationSource.MANUAL)
    return made_themselves.filter(~models.Exists(is_used))


def _issue_key(
    application: Application, *, user: User, capabilities: Collection[str], plugins: Collection[Any]
) -> ApiKey:
    """A key whose secret is neither stored nor shown."""
    name = application.name or application.client_id
    shown = "OAuth client" if key_secrets.contains_key(name) else name[: key_secrets.MAX_NAME_LENGTH]
    key, _ = api_keys.issue_key(user, name=shown, plugins=plugins, capabilities=sorted(capabilities))
    key.key_encrypted = ""
    key.save(update_fields=["key_encrypted"])
    return key
