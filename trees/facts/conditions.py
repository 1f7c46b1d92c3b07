"""Whether a condition holds for a fact."""

from __future__ import annotations

from trees.definition.fields import FactField
from trees.definition.nodes import Condition
from trees.facts.field_values import Value, are_same_values, format_value, parse_value
from trees.quantities import nearly_equal
from trees.words import normalise


def evaluate_condition(condition: Condition, *, value: Value, field: FactField) -> bool | None:
    """Whether an understood value (see `field_values.parse_value`) meets the condition.

    None when the two cannot be compared, such as a weight with a length: that is not the same as false.
    """
    if condition.operator == "contains":
        return normalise(format_value(condition.values[0])) in normalise(format_value(value, field))
    wanted = [parse_value(one, field) for one in condition.values]
    if field.type == "choice":
        # A value outside the options can never be the fact's, but it can be compared.
        wanted = [
            format_value(one) if read is None else read for one, read in zip(condition.values, wanted, strict=True)
        ]
    if condition.operator in ("eq", "in"):
        known = [one for one in wanted if one is not None]
        return any(are_same_values(value, one) for one in known) if known else None
    return _compare_numbers(condition.operator, value, wanted[0])


def _compare_numbers(operator: str, value: Value, limit: Value | None) -> bool | None:
    if isinstance(value, str | bool) or limit is None or isinstance(limit, str | bool):
        return None
    if nearly_equal(value, limit):
        return operator in ("gte", "lte")
    return value > limit if operator in ("gt", "gte") else value < limit
