"""A playbook as values: what somebody wants a contract to say, point by point."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from lexic.errors import LexicError

PlaybookKind = Literal["contract", "nda"]
StatementKind = Literal["preferred", "acceptable", "walk_away", "suggestion"]
ConditionKind = Literal["keyword", "threshold", "missing", "all", "any"]


class UnfitPlaybook(LexicError):
    """This document is no playbook."""

    code = "unfit_playbook"
    status = 422
    hint = "Each position is a section with its statements, severity and likelihood: see docs/contracts.md."


@dataclass(frozen=True, kw_only=True)
class PlaybookStatement:
    """What a position says: `text` is `playbook.text[start:end]`."""

    kind: StatementKind
    text: str
    start: int
    end: int

    @property
    def plain(self) -> str:
        """The statement on one line."""
        return " ".join(self.text.split())


@dataclass(frozen=True, kw_only=True)
class Limit:
    """A quantity that a clause must keep: `direction` is "<=", "<", ">=" or ">", `unit` as `language.units` names it
    ("" where the number has none)."""

    name: str
    direction: str
    value: Fraction
    unit: str
    written: str

    @property
    def is_ceiling(self) -> bool:
        return self.direction in ("<=", "<")


@dataclass(frozen=True, kw_only=True)
class Position:
    """One point of the playbook. `topic` says what it is about, and is what the contract is searched for."""

    number: int  # from 1
    name: str
    topic: str
    statements: tuple[PlaybookStatement, ...]
    limits: tuple[Limit, ...]
    is_required: bool
    severity: int
    likelihood: int
    start: int  # of its section in the playbook
    end: int

    def of_kind(self, kind: StatementKind) -> tuple[PlaybookStatement, ...]:
        return tuple(statement for statement in self.statements if statement.kind == kind)

    @property
    def wanted(self) -> tuple[PlaybookStatement, ...]:
        """What a clause may say, the preferred first."""
        return (*self.of_kind("preferred"), *self.of_kind("acceptable"))

    @property
    def suggestion(self) -> str:
        """The wording that the playbook proposes; what it prefers where it proposes none."""
        proposed = self.of_kind("suggestion") or self.of_kind("preferred")
        return proposed[0].plain if proposed else ""


@dataclass(frozen=True, kw_only=True)
class EscalationCondition:
    """`value` is the keyword, the threshold as written or the name of a position; `parts` those of all and any."""

    kind: ConditionKind
    value: str = ""
    parts: tuple[EscalationCondition, ...] = ()


@dataclass(frozen=True, kw_only=True)
class EscalationRule:
    """A rule that says to whom a contract goes when its condition holds, and why."""

    to: str
    why: str
    condition: EscalationCondition


@dataclass(frozen=True, kw_only=True)
class Playbook:
    name: str
    version: str
    scope: PlaybookKind
    side: str
    positions: tuple[Position, ...]
    escalations: tuple[EscalationRule, ...]
    text: str

    @property
    def sha256(self) -> str:
        """The hash of the playbook's text."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def position(self, name: str) -> Position | None:
        return next((one for one in self.positions if one.name.casefold() == name.casefold()), None)

    def as_dict(self) -> dict[str, Any]:
        """What a tool and the API show of it."""
        return {
            "name": self.name,
            "version": self.version,
            "scope": self.scope,
            "side": self.side,
            "sha256": self.sha256,
            "positions": [
                {
                    "number": one.number,
                    "name": one.name,
                    "topic": one.topic,
                    "required": one.is_required,
                    "severity": one.severity,
                    "likelihood": one.likelihood,
                    "limits": [limit.written for limit in one.limits],
                    "statements": [{"kind": said.kind, "text": said.plain} for said in one.statements],
                }
                for one in self.positions
            ],
        }
