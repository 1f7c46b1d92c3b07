from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from plugins.management.plugin_argument import get_plugin
from trees.definition.nodes import Problem
from trees.definition.parser import parse_with_problems
from trees.models import DecisionTree
from trees.tree_test_cases import CaseResult, InvalidCase, parse_cases, run_cases
from trees.validation.tree_problems import find_problems


@dataclass(frozen=True, kw_only=True)
class TreeReport:
    """A tree, by plugin and name, with its problems and how its test cases went. `plugin` is empty for a file."""

    plugin: str
    tree: str
    problems: list[Problem]
    results: list[CaseResult]

    @property
    def errors(self) -> int:
        return sum(problem.is_error for problem in self.problems)

    @property
    def failed(self) -> list[CaseResult]:
        return [result for result in self.results if not result.passed]

    def as_dict(self) -> dict[str, Any]:
        return {
            "plugin": self.plugin,
            "tree": self.tree,
            "problems": [problem.as_dict() for problem in self.problems],
            "cases": [
                {"name": result.case.name, "passed": result.passed, "said": result.said} for result in self.results
            ],
        }

    def lines(self) -> Iterator[str]:
        title = f"{self.plugin}: {self.tree}" if self.plugin else self.tree
        passed = len(self.results) - len(self.failed)
        cases = f", {passed} of {len(self.results)} cases pass" if self.results else ""
        yield f"{title}: {f'{len(self.problems)} problems' if self.problems else 'in order'}{cases}"
        for problem in self.problems:
            yield f"  {problem.severity} {problem.code}: {_problem_text(problem)}"
        for result in self.failed:
            case = result.case
            yield f"  failed case: “{case.name}” {case.expectation} {case.expected}, but {result.said}"


class Command(BaseCommand):
    help = "Check decision trees, run their test cases and print what is wrong. Fails on an error or a failed case."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> Any:
        example = f"Example: {Path(prog_name).name} {subcommand} structural-engineering --json"
        return super().create_parser(prog_name, subcommand, epilog=example, **kwargs)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", nargs="?", help="only the trees of this plugin")
        parser.add_argument("--file", type=Path, help="check a tree in a JSON file instead")
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        checked = list(_check_file(options["file"]) if options["file"] else _check_plugin_trees(options["slug"]))
        errors, failed = sum(one.errors for one in checked), sum(len(one.failed) for one in checked)
        if options["json"]:
            result = {"trees": [one.as_dict() for one in checked], "errors": errors, "failed_cases": failed}
            self.stdout.write(json.dumps(result, indent=2, ensure_ascii=False))
        else:
            self.show(checked)
        if errors or failed:
            cases = f" {failed} test cases fail." if failed else ""
            raise CommandError(f"{errors} errors in {sum(bool(one.errors) for one in checked)} trees.{cases}")

    def show(self, checked: list[TreeReport]) -> None:
        for one in checked:
            for line in one.lines():
                self.stdout.write(line)
        if not checked:
            self.stdout.write("There are no trees to check.")


def _check_plugin_trees(slug: str | None) -> Iterator[TreeReport]:
    trees = DecisionTree.objects.select_related("plugin").order_by("plugin__slug", "order", "created_at")
    if slug:
        trees = trees.filter(plugin=get_plugin(slug))
    for tree in trees.prefetch_related("cases").iterator(chunk_size=100):
        cases = [case.as_dict() for case in tree.cases.all()]
        yield _check_tree(tree.plugin.slug, tree.name, tree.tree_data, cases)


def _check_file(path: Path) -> Iterator[TreeReport]:
    try:
        tree_data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{path} is not a JSON file: {error}") from error
    try:
        cases = tree_data.get("cases", []) if isinstance(tree_data, dict) else []
        yield _check_tree("", path.name, tree_data, cases)
    except InvalidCase as error:
        raise CommandError(f"{path}: {error.message}") from error


def _check_tree(plugin: str, name: str, tree_data: object, cases: list[dict[str, Any]]) -> TreeReport:
    results = run_cases(parse_with_problems(tree_data).tree, parse_cases(cases))
    return TreeReport(plugin=plugin, tree=name, problems=find_problems(tree_data), results=results)


def _problem_text(problem: Problem) -> str:
    """A problem as a person reads it: where, what, and what to do."""
    where = f"[{problem.node_id:.60}] " if problem.node_id is not None else ""
    return f"{where}{problem.message} {problem.hint}".strip()
