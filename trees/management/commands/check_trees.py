from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from plugins.models import Plugin
from trees.models import DecisionTree
from trees.nodes import Problem
from trees.problems import problems
from trees.validation import sentence


@dataclass(frozen=True, kw_only=True)
class Checked:
    """A tree, by plugin and name, with its problems. `plugin` is empty for a file."""

    plugin: str
    tree: str
    problems: list[Problem]

    @property
    def errors(self) -> int:
        return sum(problem.is_error for problem in self.problems)

    def as_dict(self) -> dict[str, Any]:
        return {
            "plugin": self.plugin,
            "tree": self.tree,
            "problems": [problem.as_dict() for problem in self.problems],
        }


class Command(BaseCommand):
    help = "Check decision trees and print every problem. Fails when any tree has an error."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> Any:
        example = f"Example: {Path(prog_name).name} {subcommand} structural-engineering --json"
        return super().create_parser(prog_name, subcommand, epilog=example, **kwargs)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", nargs="?", help="only the trees of this plugin")
        parser.add_argument("--file", type=Path, help="check a tree in a JSON file instead")
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        checked = list(_from_file(options["file"]) if options["file"] else _from_plugins(options["slug"]))
        errors = sum(one.errors for one in checked)
        if options["json"]:
            result = {"trees": [one.as_dict() for one in checked], "errors": errors}
            self.stdout.write(json.dumps(result, indent=2, ensure_ascii=False))
        else:
            self.show(checked)
        if errors:
            raise CommandError(f"{errors} errors in {sum(bool(one.errors) for one in checked)} trees.")

    def show(self, checked: list[Checked]) -> None:
        for one in checked:
            title = f"{one.plugin}: {one.tree}" if one.plugin else one.tree
            self.stdout.write(f"{title}: {f'{len(one.problems)} problems' if one.problems else 'in order'}")
            for problem in one.problems:
                self.stdout.write(f"  {problem.severity} {problem.code}: {sentence(problem)}")
        if not checked:
            self.stdout.write("There are no trees to check.")


def _from_plugins(slug: str | None) -> Iterator[Checked]:
    trees = DecisionTree.objects.select_related("plugin").order_by("plugin__slug", "order", "created_at")
    if slug:
        if not Plugin.objects.filter(slug=slug).exists():
            raise CommandError(f"There is no plugin “{slug}”.")
        trees = trees.filter(plugin__slug=slug)
    for tree in trees.iterator(chunk_size=100):
        yield Checked(plugin=tree.plugin.slug, tree=tree.name, problems=problems(tree.tree_data))


def _from_file(path: Path) -> Iterator[Checked]:
    try:
        tree_data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        raise CommandError(f"{path} is not a JSON file: {error}") from error
    yield Checked(plugin="", tree=path.name, problems=problems(tree_data))
