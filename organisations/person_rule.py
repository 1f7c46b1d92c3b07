"""Rules about rows that one person may use, which nearly every request asks for."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from functools import partial
from typing import Any

from django.db.models import QuerySet

from accounts.models import ApiKey, User
from lexic.compiled_query import CompiledSubquery, Ids, written_out
from organisations.sso_session import acting_organisations

_EXAMPLE = uuid.UUID("5d0c1f3e-6a0b-4a43-9d0e-0f1f6b7a2c11")


class PersonRule:
    """The ids that `make` selects for a person. Django builds the statement once for sessions and keys, and once for
    tasks, and later fills in the person.

    Superusers, inactive people and those whom a provider of an organisation has signed in have statements of their own
    each time.
    """

    def __init__(self, make: Callable[[User], QuerySet[Any, Any]]) -> None:
        self._make = make
        self._statements = {
            acts: CompiledSubquery(partial(self._made_for_example, acts), user=_EXAMPLE) for acts in (True, False)
        }

    def ids(self, user: User) -> Ids:
        """For `pk__in` and its like."""
        acting = acting_organisations(user)
        if acting or user.is_superuser or not user.is_active or user.pk is None:
            return written_out(self._make(user))
        return self._statements[acting is not None].ids(user=user.pk)

    def _made_for_example(self, acts: bool, *, user: uuid.UUID) -> QuerySet[Any, Any]:
        """`acts`: in a session, or with a key, that no provider stands behind."""
        example = User(pk=user, is_active=True)
        if acts:
            example.acting_key = ApiKey(owner_id=user, issued_through=[])
        return self._make(example)
