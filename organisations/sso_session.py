"""The organisations whose provider has signed in the current person."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from accounts.models import User
from accounts.session_providers import SESSION_LASTS as SESSION_LASTS
from accounts.session_providers import acting_providers

# Begins the provider's id in the address that it sends people back to, and in their connected accounts.
PROVIDER_PREFIX = "organisation-"
# What somebody does without a session, with a key or by a task, goes on for so long after they signed in.
KEYS_WORK_FOR = timedelta(days=30)


def provider_id(organisation: UUID) -> str:
    """What the provider of this organisation is called in addresses and in accounts."""
    return f"{PROVIDER_PREFIX}{organisation}"


def organisation_of_provider(name: str) -> UUID | None:
    """The organisation whose provider is called so; None for a provider of the site."""
    try:
        return UUID(name.removeprefix(PROVIDER_PREFIX)) if name.startswith(PROVIDER_PREFIX) else None
    except ValueError:
        return None


def acting_organisations(user: User) -> frozenset[UUID] | None:
    """The organisations whose provider has signed this person in, in the current session or in the session in which the
    current key was made. None if no session and no key acts, as in a task."""
    names = acting_providers(user)
    if names is None:
        return None
    return frozenset(found for name in names if (found := organisation_of_provider(name)))
