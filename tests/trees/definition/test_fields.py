"""The unit that a field's numbers are in, and the units that count for it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.trees.growing import yes_no_tree
from trees.definition.fields import FactField, collect_fields
from trees.definition.nodes import Tree
from trees.facts.extraction import extract_facts, facts_from_request
from trees.quantities import parse_quantity
from trees.walk import walk


def number_tree(name: str, *, value: Any = 20, **declared: Any) -> Tree:
    return yes_no_tree(name, "gt", value, fields={name: {"type": "number", **declared}})


def given_number(tree: Tree, name: str, value: Any) -> object:
    return facts_from_request(tree, {name: value})[0][name].value


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("working_days", "How long?"),
        ("businessDays", "How long?"),
        ("stay", "For how many working days in this calendar year?"),
        ("stay", "How long, in business days?"),
        ("workdays", ""),
    ],
)
class TestWorkingDays:
    @pytest.mark.parametrize("value", [10, "10", "10 days", "10 working days", "10 business days", "10 workdays"])
    def test_working_days_are_counted(self, name: str, question: str, value: Any):
        assert given_number(number_tree(name, unit="days", question=question), name, value) == 10

    @pytest.mark.parametrize("value", ["3 weeks", "1 month", "10 calendar days", "48 h"])
    def test_calendar_time_is_asked_again(self, name: str, question: str, value: str):
        tree = number_tree(name, unit="days", question=question)
        facts, _ = facts_from_request(tree, {name: value})
        walked = walk(tree, facts)
        assert walked.action is None
        assert walked.missing is not None

    def test_a_question_in_weeks_is_left_to_be_asked(self, name: str, question: str):
        tree = number_tree(name, unit="days", question=question)
        assert extract_facts(tree, question="May I work from Spain for 3 weeks?") == {}


@pytest.mark.parametrize(
    ("name", "declared"),
    [
        ("stay", {"unit": "days", "question": "For how many days?"}),
        ("stay", {"unit": "days", "question": "For how many calendar days (not working days)?"}),
    ],
)
def test_calendar_days_are_no_working_days(name: str, declared: dict[str, str]):
    tree = number_tree(name, **declared)
    assert given_number(tree, name, "3 weeks") == 21
    assert given_number(tree, name, "10 working days") == "10 working days"


def test_hours_of_a_working_day_are_hours():
    tree = number_tree("hours", unit="h", question="How many hours on a working day?")
    assert given_number(tree, "hours", "30 min") == 0.5


def test_of_days_and_working_days_the_one_that_is_said_counts():
    fields = {
        "working_days": {"type": "number", "unit": "days"},
        "stay": {"type": "number", "unit": "days"},
    }
    tree = yes_no_tree("working_days", "gt", 20, fields=fields)
    assert extract_facts(tree, question="I am away for 10 days") == {}


class TestFieldsWithoutAUnit:
    @pytest.mark.parametrize(
        ("name", "question", "value", "expected"),
        [
            ("rooms", "How many rooms?", "3 weeks", "3 weeks"),
            ("rooms", "How many rooms?", "3", 3),
            ("amount", "How much is it?", "400 €", 400),
            ("share", "What share is it?", "5 %", 5),
            ("notice", "How many months of notice?", "3 months", 3),
            ("notice", "How many months of notice?", "3 weeks", "3 weeks"),
            ("driver", "How old is the driver?", "18 years", 18),
            ("driver", "How old is the driver?", "18 months", "18 months"),
            ("depth", "How deep is it in the slab?", "3 cm", 3),
            ("depth", "How many mm deep is it in the slab?", "3 in", "3 in"),
        ],
    )
    def test_a_quantity_counts_where_the_field_speaks_of_its_unit(
        self, name: str, question: str, value: str, expected: object
    ):
        assert given_number(number_tree(name, question=question), name, value) == expected

    def test_the_unit_of_a_comparison_is_the_field_s(self):
        tree = number_tree("depth", value="20 mm", question="How deep?")
        assert given_number(tree, "depth", "3 cm") == 30
        assert given_number(tree, "depth", "3 kg") == "3 kg"

    def test_a_field_of_its_own_takes_any_number_as_written(self):
        quantity = parse_quantity("3 weeks")
        assert quantity is not None
        assert FactField(name="term", type="number").number_of(quantity) == 3


def test_a_comparison_of_working_days_with_weeks_is_a_problem():
    tree = number_tree("working_days", value="3 weeks", unit="days")
    assert collect_fields(tree)["working_days"].unit is not None
    assert walk(tree, facts_from_request(tree, {"working_days": 3})[0]).action is None
