"""Which organisations' providers have signed in the person of the session that is being answered."""

from __future__ import annotations

import time
from datetime import timedelta
from uuid import UUID

from allauth.account.authentication import get_authentication_records

from accounts.models import User
from audit.actor import current_request

# Of the address that a provider sends people back to, and of the accounts that it knows.
PROVIDER_PREFIX = "organisation-"
# After so long somebody signs in through the provider again.
SESSION_LASTS = timedelta(hours=12)
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


def organisations_of_session(user: User) -> frozenset[UUID] | None:
    """Those whose provider has signed in this person, in the session whose request is being answered. None where no
    session of theirs asks: it is a key, a task or a command, or somebody else."""
    request = current_request()
    if request is None or getattr(request, "api_key", None) is not None or not hasattr(request, "session"):
        return None
    asking = getattr(request, "user", None)
    if asking is None or asking.pk != user.pk:
        return None
    since = time.time() - SESSION_LASTS.total_seconds()
    through = {
        organisation_of_provider(str(one.get("provider", "")))
        for one in get_authentication_records(request, user)
        if one.get("method") == "socialaccount" and one.get("at", 0) > since
    }
    return frozenset(one for one in through if one)
