"""What a docstring says is raised can be raised: the name exists."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator

from tests.our_modules import modules

_RAISES = re.compile(r"\b[Rr]aises?\b([^.]*)")
_NAME = re.compile(r"`([A-Z]\w+)`")


def known_names() -> set[str]:
    names = set(dir(builtins))
    for _, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                names.add(node.name)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                names |= {alias.asname or alias.name for alias in node.names}
    return names


def named_errors() -> Iterator[tuple[str, str]]:
    """Where a docstring names an error, and the name."""
    for path, tree in modules():
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)):
                for said in _RAISES.findall(ast.get_docstring(node) or ""):
                    for name in _NAME.findall(said):
                        yield f"{path.name}:{getattr(node, 'name', 'module')}", name


def test_every_error_that_a_docstring_names_exists() -> None:
    named = list(named_errors())
    assert len(named) > 100
    known = known_names()
    assert [(where, name) for where, name in named if name not in known] == []
