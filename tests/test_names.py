"""One name has one meaning: modules and private helpers are not called the same all over the code."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

from tests.our_modules import ROOT, modules

# Names by which Django and its readers know what is in a module, whatever the app.
_BY_CONVENTION = {
    "__init__",
    "admin",
    "apps",
    "forms",
    "health_checks",
    "models",
    "serializers",
    "tasks",
    "urls",
    "views",
}
_APART = ("benchmarks", "training", "sdk", "lexibrarian")
_MOST_APPS, _MOST_MODULES = 2, 3


def _sources() -> list[tuple[Path, ast.Module]]:
    found = ((path.relative_to(ROOT), tree) for path, tree in modules())
    return [(path, tree) for path, tree in found if path.parts[0] not in _APART and "migrations" not in path.parts]


def _private_names(tree: ast.Module) -> set[str]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {one.name for one in tree.body if isinstance(one, kinds) and one.name.startswith("_")}


def test_a_module_has_a_name_that_at_most_two_apps_use() -> None:
    apps = defaultdict(set)
    for path, _ in _sources():
        apps[path.stem].add(path.parts[0])
    assert apps["models"], "no module was found"
    assert {
        name: sorted(used) for name, used in apps.items() if len(used) > _MOST_APPS and name not in _BY_CONVENTION
    } == {}


def test_a_private_helper_has_a_name_that_at_most_three_modules_use() -> None:
    used = defaultdict(list)
    for path, tree in _sources():
        for name in _private_names(tree):
            used[name].append(path.as_posix())
    assert used, "no private helper was found"
    assert {name: paths for name, paths in used.items() if len(paths) > _MOST_MODULES} == {}
