"""How the audit log names whom and what an entry is about: by kind and id, with a name that can be erased."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser

MAX_NAME_LENGTH = 320


@dataclass(frozen=True)
class Reference:
    """`person` is the id of the account that the name belongs to, with which it is erased. Two references are the same
    thing when their texts are equal: `plugin:1f0c…`."""

    kind: str
    pk: Any
    name: str = ""
    person: Any = None

    def __str__(self) -> str:
        return f"{self.kind}:{self.pk}"


def person(user: AbstractBaseUser) -> Reference:
    """The account, by its id; its address and the name it goes by can be erased."""
    shown = str(getattr(user, "display_name", "")).strip()
    address = user.get_username()
    return Reference("person", user.pk, f"{shown} <{address}>" if shown else address, user.pk)
