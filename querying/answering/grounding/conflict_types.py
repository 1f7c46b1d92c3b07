"""How two statements exclude each other. No model and no list of words is loaded for it: the description of the API
names the kinds."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class ConflictKind(enum.StrEnum):
    NUMBER = "number"
    DUTY = "duty"
    DENIAL = "denial"


@dataclass(frozen=True, kw_only=True)
class StatementConflict:
    """`is_certain`: both speak of exactly the same, so that they cannot both hold."""

    kind: ConflictKind
    is_certain: bool
