"""The names in docstrings exist: those of errors that are said to be raised, and every other name in backticks."""

from __future__ import annotations

import ast
import builtins
import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.our_modules import ROOT, modules

_RAISES = re.compile(r"\b[Rr]aises?\b([^.]*)")
_NAME = re.compile(r"`([A-Z]\w+)`")
_CODE_NAME = re.compile(r"`([A-Za-z_][\w.]*)`")
_WORD = re.compile(r"\w+")
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
# Files of other languages whose words a docstring may name: columns, settings, elements, commands.
_OTHER_FILES = (".html", ".js", ".sql", ".yaml", ".yml", ".toml", ".json", ".css", ".lua")


Modules = Sequence[tuple[Path, ast.Module]]


def known_names(all_modules: Modules) -> set[str]:
    names = set(dir(builtins))
    for _, tree in all_modules:
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                names.add(node.name)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                names |= {alias.asname or alias.name for alias in node.names}
    return names


def named_errors(all_modules: Modules) -> Iterator[tuple[str, str]]:
    """Where a docstring names an error, and the name."""
    for path, tree in all_modules:
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)):
                for said in _RAISES.findall(ast.get_docstring(node) or ""):
                    for name in _NAME.findall(said):
                        yield f"{path.name}:{getattr(node, 'name', 'module')}", name


def test_every_error_that_a_docstring_names_exists() -> None:
    all_modules = list(modules())
    named = list(named_errors(all_modules))
    assert len(named) > 100
    known = known_names(all_modules)
    assert [(where, name) for where, name in named if name not in known] == []


def words_of_code(all_modules: Modules) -> set[str]:
    """Every word that the code or a template uses: names, texts, parts of paths. Docstrings do not count."""
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    words = set(_WORD.findall(tracked)) | set(dir(builtins))
    for name in tracked.splitlines():
        if name.endswith(_OTHER_FILES) and "vendor" not in name and (ROOT / name).is_file():
            words.update(_WORD.findall((ROOT / name).read_text(encoding="utf-8", errors="replace")))
    for _, tree in all_modules:
        docstrings = {id(node.body[0].value) for node in documented(tree) if isinstance(node.body[0], ast.Expr)}
        for node in ast.walk(tree):
            if id(node) not in docstrings:
                words.update(names_in(node))
    return words


def documented(tree: ast.Module) -> Iterator[ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False):
            yield node


def names_in(node: ast.AST) -> Iterator[str]:
    """The words of the node itself, without those of its children."""
    for _, value in ast.iter_fields(node):
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, str):
                yield from _WORD.findall(one)


def test_every_name_in_backticks_exists() -> None:
    all_modules = list(modules())
    words = words_of_code(all_modules)
    named = [
        (path.relative_to(ROOT), name)
        for path, tree in all_modules
        for node in documented(tree)
        for name in _CODE_NAME.findall(ast.get_docstring(node) or "")
    ]
    assert len(named) > 1000
    unknown = [(str(path), name) for path, name in named if not words.issuperset(_WORD.findall(name))]
    assert unknown == []
