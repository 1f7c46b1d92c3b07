"""A person connects their Google Drive: sent to Google with a state of their own, and back with it once."""

from __future__ import annotations

import base64
import hashlib
import secrets
from typing import Any

from django.contrib.sessions.backends.base import SessionBase
from django.core import signing
from django.utils.crypto import constant_time_compare

from accounts.models import User
from connectors import google_oauth, revocation
from connectors.drive_client import account_email
from connectors.drive_errors import AuthorizationRefused, InvalidAuthorization
from connectors.models import DriveConnection

STATE_SECONDS = 600
_SALT = "connectors.google-drive"
_SESSION_KEY = "google_drive_authorization"
_MAX_PARAMETER_LENGTH = 2000


def begin_authorization(session: SessionBase, user: User) -> str:
    """The address at Google that asks the person for consent. The session remembers what it takes to come back; whoever
    begins again cannot come back from the first time. Raises `DriveNotSetUp`."""
    google_oauth.require_set_up()
    nonce, verifier = secrets.token_urlsafe(32), secrets.token_urlsafe(64)
    session[_SESSION_KEY] = {"nonce": nonce, "verifier": verifier}
    state = signing.dumps([nonce, str(user.pk)], salt=_SALT)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    return google_oauth.consent_url(state=state, challenge=challenge)


def complete_authorization(
    session: SessionBase, user: User, *, state: str, code: str = "", refusal: str = ""
) -> DriveConnection:
    """The connection that Google's answer makes. Whatever the answer, its state is used up.

    Raises `InvalidAuthorization` for a state that is not that of this session and person, or is older than ten minutes;
    `AuthorizationRefused`, `DriveFailed`, `DriveBusy`, `DriveNotSetUp`.
    """
    begun = session.pop(_SESSION_KEY, None)
    session.save()  # at once: a second request with this state must not find it
    if not begun or not _is_state_of(begun, user, state=state):
        raise InvalidAuthorization
    if refusal or not 0 < len(code) <= _MAX_PARAMETER_LENGTH:
        raise AuthorizationRefused
    tokens = google_oauth.exchange_code(code, verifier=begun["verifier"])
    email = account_email(tokens.access)
    before = DriveConnection.objects.filter(user=user).first()
    # Revoking one token of an account ends them all, so that of the same account is left alone.
    if before and before.account_email and email and before.account_email != email:
        revocation.disconnect(user)
    connection = DriveConnection.objects.connect(user, refresh_token=tokens.refresh, account_email=email)
    connection.save_access_token(tokens.access, seconds=tokens.seconds)
    return connection


def _is_state_of(begun: dict[str, Any], user: User, *, state: str) -> bool:
    if len(state) > _MAX_PARAMETER_LENGTH:
        return False
    try:
        nonce, person = signing.loads(state, salt=_SALT, max_age=STATE_SECONDS)
    except (signing.BadSignature, ValueError, TypeError):
        return False
    return constant_time_compare(nonce, begun["nonce"]) and person == str(user.pk)
