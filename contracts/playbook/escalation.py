"""When a contract goes to somebody else: the rules of a playbook, read and judged.

Thresholds are conditions of decision trees, and are judged by them; keywords are compared as texts are there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast

from contracts.playbook.playbook_types import ConditionKind, EscalationCondition, EscalationRule
from trees.definition.fields import FactField
from trees.definition.nodes import Condition, Operator
from trees.facts.conditions import evaluate_condition
from trees.facts.field_values import parse_value
from trees.quantities import parse_quantity
from trees.words import normalise

_KINDS = ("keyword", "threshold", "missing", "all", "any")
_MAX_DEPTH, _MAX_PARTS = 4, 20
_THRESHOLD = re.compile(r"(?P<name>[^<>=≤≥]{1,80}?)\s{0,4}(?P<sign><=|>=|≤|≥|<|>|=)\s{0,4}(?P<amount>[^<>=≤≥]{1,60})")
_OPERATORS: dict[str, Operator] = {
    ">": "gt",
    "<": "lt",
    "=": "eq",
    ">=": "gte",
    "≥": "gte",
    "<=": "lte",
    "≤": "lte",
}
# The figures of a review that a threshold may name, beside the limits of the playbook.
COUNTS = ("red", "yellow", "green", "missing", "score")


@dataclass(frozen=True, kw_only=True)
class EscalationFacts:
    """What a review knows: the text of its clauses, one after the other, the names of the positions that nothing was
    found for, and its figures by name, each with every value that the contract states."""

    text: str = ""
    missing: frozenset[str] = frozenset()  # case-folded
    figures: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @cached_property
    def compared_text(self) -> str:
        return normalise(self.text)


def parse_rule(row: Any, *, positions: Sequence[str], limits: Sequence[str]) -> EscalationRule:
    """One entry of `escalate`. Raises `ValueError` with what is wrong."""
    if not isinstance(row, dict):
        raise ValueError("a rule names “to” and a condition")
    rest = dict(row)
    to, why = str(rest.pop("to", "") or "").strip(), str(rest.pop("why", "") or "").strip()
    if not to:
        raise ValueError("a rule says “to” whom the contract goes")
    condition = _parse_condition(rest, positions=positions, limits=limits, depth=1)
    return EscalationRule(to=to[:120], why=why[:400], condition=condition)


def _parse_condition(row: Any, *, positions: Sequence[str], limits: Sequence[str], depth: int) -> EscalationCondition:
    if not isinstance(row, dict) or len(row) != 1 or next(iter(row)) not in _KINDS:
        raise ValueError(f"a condition is one of {', '.join(_KINDS)}")
    [(kind, value)] = row.items()
    if kind in ("all", "any"):
        if depth >= _MAX_DEPTH or not isinstance(value, list) or not 0 < len(value) <= _MAX_PARTS:
            raise ValueError(f"“{kind}” lists 1 to {_MAX_PARTS} conditions, at most {_MAX_DEPTH} deep")
        parts = tuple(_parse_condition(one, positions=positions, limits=limits, depth=depth + 1) for one in value)
        return EscalationCondition(kind=cast(ConditionKind, kind), parts=parts)
    text = str(value).strip() if isinstance(value, str | int | float) else ""
    if not text or len(text) > 200:
        raise ValueError(f"“{kind}” needs a text of at most 200 characters")
    if kind == "missing" and text.casefold() not in {name.casefold() for name in positions}:
        raise ValueError(f"there is no position “{text}”")
    if kind == "threshold":
        _check_threshold(text, limits)
    return EscalationCondition(kind=cast(ConditionKind, kind), value=text)


def _check_threshold(text: str, limits: Sequence[str]) -> None:
    match = _THRESHOLD.fullmatch(text)
    known = [*COUNTS, *limits]
    if match is None or match["name"].strip().casefold() not in {name.casefold() for name in known}:
        raise ValueError(f"“{text}” is no threshold over one of {', '.join(known)}")
    if parse_quantity(match["amount"].strip()) is None:
        raise ValueError(f"“{match['amount'].strip()}” is no quantity")


def holds(condition: EscalationCondition, facts: EscalationFacts) -> bool:
    """Whether the condition holds. What cannot be compared does not hold."""
    if condition.kind == "all":
        return all(holds(part, facts) for part in condition.parts)
    if condition.kind == "any":
        return any(holds(part, facts) for part in condition.parts)
    if condition.kind == "missing":
        return condition.value.casefold() in facts.missing
    if condition.kind == "keyword":
        return normalise(condition.value) in facts.compared_text
    return _threshold_holds(condition.value, facts)


def _threshold_holds(written: str, facts: EscalationFacts) -> bool:
    match = _THRESHOLD.fullmatch(written)
    if match is None:
        return False
    limit = parse_quantity(match["amount"].strip())
    as_number = FactField(name=match["name"], type="number", unit=limit.unit if limit else None)
    wanted = Condition(field=match["name"], operator=_OPERATORS[match["sign"]], value=match["amount"].strip())
    figures = {name.casefold(): values for name, values in facts.figures.items()}
    values = [parse_value(value, as_number) for value in figures.get(match["name"].strip().casefold(), ())]
    return any(evaluate_condition(wanted, value=value, field=as_number) for value in values if value is not None)
