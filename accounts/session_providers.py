"""The identity providers that have signed in the current person, from the session, or from the session in which the
current key was made."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import TYPE_CHECKING

from allauth.account.authentication import get_authentication_records

from audit.actor import current_request

if TYPE_CHECKING:
    from accounts.models import ApiKey, User

# After so long somebody signs in through a provider again, where that is asked for.
SESSION_LASTS = timedelta(hours=12)


def acting_providers(user: User) -> frozenset[str] | None:
    """The names of those that have signed in this person: in the session whose request is being answered, or in the
    one in which their key was made. None where neither acts for them: a task, a command, or somebody else's request."""
    request = current_request()
    key: ApiKey | None = getattr(user, "acting_key", None) or getattr(request, "api_key", None)
    if key is not None and key.owner_id == user.pk:
        return frozenset(key.issued_through)
    asking = getattr(request, "user", None)
    if request is None or asking is None or asking.pk != user.pk or not hasattr(request, "session"):
        return None
    since = time.time() - SESSION_LASTS.total_seconds()
    records = get_authentication_records(request, user)
    return frozenset(
        str(one.get("provider", "")) for one in records if one.get("method") == "socialaccount" and one["at"] > since
    )
