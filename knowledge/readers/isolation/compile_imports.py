"""Imports all that readers import, so that Python keeps it compiled.

What Python imports first it compiles and keeps, but a confined child may write nothing that another process runs. Where
packages are installed without being compiled (see the Makefile), each child would compile its readers anew.

  python -m knowledge.readers.isolation.compile_imports
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

from knowledge.readers.formats import FORMATS

_READERS = Path(__file__).parents[1]
# What rapidocr imports once it has an engine.
_IMPORTED_BY_NAME = ("rapidocr.inference_engine.openvino.main", "openvino")


def imported_modules() -> list[str]:
    """The modules that any line of the readers imports, the standard library's left out."""
    found = {name for path in _READERS.rglob("*.py") for name in _imports(ast.parse(path.read_bytes()))}
    return sorted(name for name in found if name.split(".")[0] not in sys.stdlib_module_names)


def compile_imports() -> list[str]:
    """Imports them; gives those that could not be imported."""
    missing = []
    readers = {described.reader for described in FORMATS.values()}
    for name in (*readers, *imported_modules(), *_IMPORTED_BY_NAME):
        try:
            importlib.import_module(name)
        except ImportError:
            missing.append(name)
    return missing


def _imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


if __name__ == "__main__":
    sys.exit(", ".join(compile_imports()) or None)
