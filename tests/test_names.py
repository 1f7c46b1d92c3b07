"""One name has one meaning: modules and private helpers are not called the same all over the code."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

from tests.our_modules import ROOT, modules, paths

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


def _is_source(path: Path) -> bool:
    parts = path.relative_to(ROOT).parts
    return parts[0] not in _APART and "migrations" not in parts


def _private_names(tree: ast.Module) -> set[str]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {one.name for one in tree.body if isinstance(one, kinds) and one.name.startswith("_")}


def test_a_module_has_a_name_that_at_most_two_apps_use() -> None:
    apps = defaultdict(set)
    for path in filter(_is_source, paths()):
        apps[path.stem].add(path.relative_to(ROOT).parts[0])
    assert apps["models"], "no module was found"
    assert {
        name: sorted(used) for name, used in apps.items() if len(used) > _MOST_APPS and name not in _BY_CONVENTION
    } == {}


def test_a_private_helper_has_a_name_that_at_most_three_modules_use() -> None:
    used = defaultdict(list)
    for path, tree in modules("def _", "class _"):
        for name in _private_names(tree) if _is_source(path) else ():
            used[name].append(path.relative_to(ROOT).as_posix())
    assert used, "no private helper was found"
    assert {name: where for name, where in used.items() if len(where) > _MOST_MODULES} == {}
