"""References of the audit log to persons and things: a kind, an id, and a name that can be erased."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser

MAX_NAME_LENGTH = 320


@dataclass(frozen=True)
class Reference:
    """A reference to a thing. Two references mean the same thing if their texts are equal (`plugin:1f0c…`). `person` is
    the id of the account whose name it contains: the name is erased with the account."""

    kind: str
    pk: Any
    name: str = ""
    person: Any = None

    def __str__(self) -> str:
        return f"{self.kind}:{self.pk}"


def person(user: AbstractBaseUser) -> Reference:
    """A reference to an account by its id. Its address and its display name can be erased."""
    shown = str(getattr(user, "display_name", "")).strip()
    address = user.get_username()
    return Reference("person", user.pk, f"{shown} <{address}>" if shown else address, user.pk)
