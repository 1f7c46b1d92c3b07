from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trees.definition.fields import FactField
from trees.definition.nodes import Condition, Operator
from trees.facts.conditions import evaluate_condition
from trees.facts.field_values import Value, parse_value
from trees.quantities import find_unit

LENGTH = FactField(name="span", type="number", unit=find_unit("mm"))

numbers = st.integers(-(10**6), 10**6) | st.floats(allow_nan=False, allow_infinity=False)
lengths = numbers | st.builds("{} {}".format, st.integers(0, 1000), st.sampled_from(["mm", "cm", "m", "in"]))
values = lengths | st.sampled_from(["4 kg", "long", True, ""])


def holds(operator: Operator, value: Value, limit: Value) -> bool | None:
    """Whether a fact, as it is understood, compares so with the limit of a condition."""
    understood = parse_value(value, LENGTH)
    condition = Condition(field="span", operator=operator, value=limit)
    return evaluate_condition(condition, value=value if understood is None else understood, field=LENGTH)


def opposite(outcome: bool | None) -> bool | None:
    return None if outcome is None else not outcome


@given(values, values)
def test_at_least_is_the_opposite_of_less_than(value, limit):
    assert holds("gte", value, limit) is opposite(holds("lt", value, limit))


@given(values, values)
def test_at_most_is_the_opposite_of_greater_than(value, limit):
    assert holds("lte", value, limit) is opposite(holds("gt", value, limit))


@given(lengths, lengths)
def test_what_is_at_least_and_at_most_a_number_is_that_number(value, limit):
    both = holds("gte", value, limit) and holds("lte", value, limit)
    assert both is holds("eq", value, limit)


@pytest.mark.parametrize(
    ("value", "at_least", "at_most"), [("29 mm", False, True), ("3 cm", True, True), (31, True, False)]
)
def test_the_limit_itself_is_included(value, at_least, at_most):
    assert (holds("gte", value, 30), holds("lte", value, 30)) == (at_least, at_most)


def test_what_is_no_number_is_not_compared():
    assert holds("gte", "4 kg", 30) is None
    assert holds("lte", True, 30) is None
