"""Whether a condition holds for a fact."""

from __future__ import annotations

from trees.answers import Value, alike, as_text, understand
from trees.fields import Field
from trees.nodes import Condition, Scalar
from trees.quantities import equal
from trees.words import normalise


def holds(condition: Condition, *, value: Value, field: Field) -> bool | None:
    """Whether an understood value (see `answers.understand`) meets the condition.

    None when the two cannot be compared, such as a weight with a length: that is not the same as false.
    """
    if condition.operator == "contains":
        return normalise(as_text(condition.values[0])) in normalise(as_text(value, field))
    wanted = [_wanted(one, field) for one in condition.values]
    if condition.operator in ("eq", "in"):
        known = [one for one in wanted if one is not None]
        return any(alike(value, one) for one in known) if known else None
    return _compare(condition.operator, value, wanted[0])


def _wanted(value: Scalar, field: Field) -> Value | None:
    # A value outside the options can never be the fact's, but it can be compared.
    understood = understand(value, field)
    return as_text(value) if understood is None and field.type == "choice" else understood


def _compare(operator: str, value: Value, limit: Value | None) -> bool | None:
    if isinstance(value, str | bool) or limit is None or isinstance(limit, str | bool):
        return None
    if equal(value, limit):
        return False
    return value > limit if operator == "gt" else value < limit
