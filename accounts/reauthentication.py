"""Some things need more than a session that somebody left open: a sign-in of the last few minutes."""

from __future__ import annotations

import time
from typing import Any

from allauth.account import app_settings
from allauth.account.decorators import reauthentication_required
from allauth.account.internal.flows.login import get_authentication_records
from allauth.core.exceptions import ReauthenticationRequired
from django.http import HttpRequest, HttpResponse

from lexic.errors import NotAllowed


class ReauthenticationNeeded(NotAllowed):
    """Confirm your password first: it was not confirmed within the last few minutes."""

    code = "fresh_sign_in_needed"
    hint = "Confirm the password at /accounts/reauthenticate/ and send this again with the same session."


# What somebody did here and now, as allauth records it. A provider that remembers the person sends them back without
# asking for anything, so whoever finds their browser open could sign in that way.
_CREDENTIAL_METHODS = frozenset({"password", "mfa"})


def has_recent_sign_in(request: HttpRequest) -> bool:
    """Whether this session began, or was confirmed, within the last minutes, by whatever means."""
    return _has_recent_record(get_authentication_records(request, request.user))


def has_recent_credential(request: HttpRequest) -> bool:
    """Whether the person gave their password, or used a passkey or another second step, within the last minutes: to
    sign in or to confirm."""
    records = get_authentication_records(request, request.user)
    return _has_recent_record([record for record in records if record.get("method") in _CREDENTIAL_METHODS])


def _has_recent_record(records: list[dict[str, Any]]) -> bool:
    latest = max((record.get("at", 0) for record in records), default=0)
    return bool(time.time() - latest < app_settings.REAUTHENTICATION_TIMEOUT)


def check_recent_sign_in(request: HttpRequest) -> None:
    """For interfaces that cannot redirect to a page. Raises `ReauthenticationNeeded`."""
    try:
        _require_recent_sign_in(request)
    except ReauthenticationRequired:
        raise ReauthenticationNeeded from None


@reauthentication_required
def _require_recent_sign_in(request: HttpRequest) -> HttpResponse:
    return HttpResponse()
