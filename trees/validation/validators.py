"""The check of a tree at every door where one is saved."""

from __future__ import annotations

from django.core.exceptions import ValidationError

from trees.definition.nodes import Problem
from trees.validation.tree_problems import find_errors

MAX_SHOWN_ERRORS = 50


def validate_tree(tree_data: object) -> None:
    """Raise a Django ValidationError that lists every error of the tree. Warnings pass."""
    found = find_errors(tree_data)
    if found:
        raise ValidationError(
            [ValidationError(problem_message(problem), code=problem.code) for problem in found[:MAX_SHOWN_ERRORS]]
        )


def problem_message(problem: Problem) -> str:
    """A problem as a person reads it: where, what, and what to do."""
    where = f"[{problem.node_id:.60}] " if problem.node_id is not None else ""
    return f"{where}{problem.message} {problem.hint}".strip()
