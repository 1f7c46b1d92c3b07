"""Second factors of a person: an authenticator app, a passkey or a security key."""

from __future__ import annotations

from allauth.mfa.models import Authenticator
from django.db.models import OuterRef, QuerySet

from accounts.models import User

# Recovery codes are made beside one of these, and are none by themselves.
_SECOND_STEPS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)


def second_factors_of(user: User | OuterRef) -> QuerySet[Authenticator]:
    """The second factors that they have set up; also for a subquery."""
    return Authenticator.objects.filter(user=user, type__in=_SECOND_STEPS)
