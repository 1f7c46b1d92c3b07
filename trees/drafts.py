"""A tree as it is edited: what it says, and its test cases, saved together or not at all."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from accounts.models import User
from lexic.column_length import column_length
from lexic.errors import Conflict, InvalidInput, LexicError
from plugins.models import Plugin
from trees.definition.key_order import order_tree_keys
from trees.definition.parser import find_storage_problem, parse_with_problems
from trees.models import DecisionTree, TreeCase
from trees.tree_test_cases import Case, parse_cases

MAX_TREE_BYTES = 2 * 1024 * 1024  # of a tree with its cases, as JSON
MAX_TREE_NAME_LENGTH = column_length(DecisionTree, "name")
MAX_DESCRIPTION_LENGTH = 5000


class InvalidDraft(InvalidInput):
    """The tree cannot be stored."""

    code = "invalid_tree"
    hint = "Correct what is named; nothing was saved."


class TreeChanged(Conflict):
    """The tree was changed while you worked on it."""

    code = "changed_meanwhile"
    status = 412
    hint = "Your text is below; nothing was overwritten."

    def __init__(self, current: DecisionTree) -> None:
        self.current = current
        who = current.changed_by.get_full_name() if current.changed_by else "Somebody"
        super().__init__(f"{who} changed this tree at {current.updated_at:%H:%M} UTC.")


class VersionRequired(LexicError):
    """Saving needs the version that was edited."""

    code = "version_needed"
    status = 428
    hint = "Send it in the header If-Match."


@dataclass(frozen=True, kw_only=True)
class TreeDraft:
    """A tree that may still have problems: only what cannot be stored at all is refused."""

    name: str
    description: str = ""
    tree_data: Mapping[str, Any]
    cases: list[Case] = field(default_factory=list)


def parse_draft(data: object) -> TreeDraft:
    """The draft in `{"name", "description", "tree", "cases"}`. Raises InvalidDraft and InvalidCase."""
    if not isinstance(data, dict):
        raise InvalidDraft("A tree is sent as an object.")
    if problem := find_storage_problem(data):  # the names, the cases and the tree alike
        raise InvalidDraft(problem.message)
    return TreeDraft(
        name=_draft_text(data, "name", limit=MAX_TREE_NAME_LENGTH, required=True),
        description=_draft_text(data, "description", limit=MAX_DESCRIPTION_LENGTH),
        tree_data=_check_storable(data.get("tree")),
        cases=parse_cases(data.get("cases", [])),
    )


def _check_storable(tree_data: Any) -> Mapping[str, Any]:
    too_large = [
        problem for problem in parse_with_problems(tree_data).problems if problem.code in ("not_a_tree", "too_large")
    ]
    if too_large:
        raise InvalidDraft(too_large[0].message)
    return tree_data


def _draft_text(data: Mapping[str, Any], key: str, *, limit: int, required: bool = False) -> str:
    value = data.get(key, "")
    if not isinstance(value, str) or len(value) > limit:
        raise InvalidDraft(f"The {key} is a text of at most {limit} characters.")
    if required and not value.strip():
        raise InvalidDraft(f"The tree needs a {key}.")
    return value.strip()


def save_draft(draft: TreeDraft, *, tree: DecisionTree, version: str | None, by: User) -> DecisionTree:
    """Replace the tree and its cases by the draft. Raises VersionRequired, and TreeChanged when the tree is no longer
    the `version` that was edited; then nothing has changed."""
    if not version:
        raise VersionRequired
    with transaction.atomic():
        # Without what it is joined to: PostgreSQL cannot lock the nullable side of a join.
        current = DecisionTree.objects.select_for_update().get(pk=tree.pk)
        if current.version != version:
            raise TreeChanged(current)
        current.name, current.description, current.changed_by = draft.name, draft.description, by
        current.tree_data = dict(draft.tree_data)
        current.save()
        _replace_cases(current, draft.cases)
    return current


def create_tree(draft: TreeDraft, *, plugin: Plugin, by: User, is_active: bool = True) -> DecisionTree:
    """A new tree, last in the order of its plugin."""
    with transaction.atomic():
        orders = plugin.trees.select_for_update().values_list("order", flat=True)
        tree = DecisionTree.objects.create(
            plugin=plugin,
            name=draft.name,
            description=draft.description,
            tree_data=dict(draft.tree_data),
            is_active=is_active,
            order=min(max(orders, default=-1) + 1, 32_767),
            changed_by=by,
        )
        _replace_cases(tree, draft.cases)
    return tree


def _replace_cases(tree: DecisionTree, cases: list[Case]) -> None:
    """Replace the cases of the tree. A case that keeps its name keeps its id, which agents refer to."""
    ids = dict(tree.cases.values_list("name", "pk"))
    tree.cases.all().delete()
    TreeCase.objects.bulk_create(
        TreeCase(
            id=ids.pop(case.name, None) or uuid.uuid4(),
            tree=tree,
            name=case.name,
            sentence=case.sentence,
            facts=dict(case.facts),
            expectation=case.expectation,
            expected=case.expected,
            position=position,
        )
        for position, case in enumerate(cases)
    )


def export_draft(tree: DecisionTree) -> dict[str, Any]:
    """The tree as `parse_draft` reads it, in reading order."""
    return {
        "name": tree.name,
        "description": tree.description,
        "tree": order_tree_keys(tree.tree_data),
        "cases": [case.as_dict() for case in tree.cases.all()],
    }
