"""Ends connections to Google: the tokens are deleted here at once, and revoked at Google with retries."""

from __future__ import annotations

import logging
from datetime import timedelta
from functools import partial

from django.db import transaction
from django.utils import timezone

from accounts import key_secrets
from accounts.models import User
from connectors import google_oauth
from connectors.models import DriveConnection, DriveRevocation
from lexic.publish_task import publish_task

logger = logging.getLogger(__name__)

MAX_ATTEMPTS = 12  # over three weeks
_FIRST_DELAY = timedelta(minutes=10)
_BATCH_SIZE = 100


def disconnect(user: User) -> bool:
    """Ends the person's connection, if there is one. Returns False if Google could not be reached; a worker then tries
    again."""
    revocation = _forget_connection(user)
    return revocation is None or _attempt(revocation.pk)


def disconnect_on_commit(user: User) -> None:
    """Ends the person's connection when the transaction is committed, for example when the account is deleted. A worker
    tells Google."""
    if _forget_connection(user):
        transaction.on_commit(partial(publish_task, "connectors.revoke_tokens"))


def revoke_due() -> int:
    """Revokes each token that is due at Google. Returns how many were revoked."""
    return sum(_attempt(pk) for pk in DriveRevocation.objects.due().values_list("pk", flat=True)[:_BATCH_SIZE])


@transaction.atomic
def _forget_connection(user: User) -> DriveRevocation | None:
    """Deletes the connection. Returns the revocation that is left to do, or None if there was no token."""
    connection = DriveConnection.objects.select_for_update().filter(user=user).first()
    if connection is None:
        return None
    connection.delete()
    if connection.has_lapsed:
        return None
    return DriveRevocation.objects.create(token_encrypted=connection.refresh_token_encrypted)


def _attempt(pk: int) -> bool:
    """Tries one revocation. Returns True if nothing is left to do. It is not due meanwhile, so no other worker tries it
    too."""
    with transaction.atomic():
        rows = DriveRevocation.objects.due().select_for_update(skip_locked=True)
        revocation = rows.filter(pk=pk).first()
        if revocation is None:
            return False
        revocation.attempts += 1
        revocation.due_at = timezone.now() + _FIRST_DELAY * 2 ** (revocation.attempts - 1)
        revocation.save(update_fields=["attempts", "due_at"])
    token = key_secrets.decrypt(revocation.token_encrypted)
    is_done = token is None or google_oauth.revoke(token)
    if not is_done and revocation.attempts >= MAX_ATTEMPTS:
        logger.error("Google was not told of a token that is not needed any more, after %s attempts", MAX_ATTEMPTS)
    if is_done or revocation.attempts >= MAX_ATTEMPTS:
        revocation.delete()
    return is_done
