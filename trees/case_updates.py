"""Test cases one by one. Each change is a change of what the tree says: an editor that is open elsewhere notices."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.db import transaction

from accounts.models import User
from lexic.errors import Conflict, NotFound
from trees.models import DecisionTree, TreeCase
from trees.tree_test_cases import MAX_CASES, Case

# Called with the case while its tree is locked; it refuses the change by raising.
CaseCheck = Callable[[TreeCase], None]


class UnknownCase(NotFound):
    """This tree has no such test case."""

    code = "unknown_case"


class TooManyCases(Conflict):
    """This tree has as many test cases as a tree may have."""

    code = "too_many_cases"


def add_case(tree: DecisionTree, case: Case, *, by: User) -> TreeCase:
    """A new case, last in their order. Raises `TooManyCases`."""
    with transaction.atomic():
        _lock_and_touch_tree(tree, by)
        positions = list(tree.cases.values_list("position", flat=True))
        if len(positions) >= MAX_CASES:
            raise TooManyCases
        row = TreeCase(tree=tree, position=max(positions, default=-1) + 1)
        return _write_case(row, case)


def update_case(tree: DecisionTree, pk: UUID, case: Case, *, by: User, check: CaseCheck) -> TreeCase:
    """Replace a case. Raises `UnknownCase`, and what `check` raises."""
    with transaction.atomic():
        _lock_and_touch_tree(tree, by)
        return _write_case(_find_checked_case(tree, pk, check), case)


def remove_case(tree: DecisionTree, pk: UUID, *, by: User, check: CaseCheck) -> None:
    """Delete a case. Raises `UnknownCase`, `UnderLegalHold`, and what `check` raises."""
    tree.plugin.check_deletable()
    with transaction.atomic():
        _lock_and_touch_tree(tree, by)
        _find_checked_case(tree, pk, check).delete()


def _lock_and_touch_tree(tree: DecisionTree, by: User) -> None:
    # Which also locks the row: cases are changed one after another.
    current = DecisionTree.objects.select_for_update().filter(pk=tree.pk).first()
    if current is None:
        raise NotFound
    current.changed_by = by
    current.save(update_fields=["changed_by", "updated_at"])


def _find_checked_case(tree: DecisionTree, pk: UUID, check: CaseCheck) -> TreeCase:
    row = tree.cases.filter(pk=pk).first()
    if row is None:
        raise UnknownCase
    check(row)
    return row


def _write_case(row: TreeCase, case: Case) -> TreeCase:
    row.name, row.sentence, row.facts = case.name, case.sentence, dict(case.facts)
    row.expectation, row.expected = case.expectation, case.expected
    row.save()
    return row
