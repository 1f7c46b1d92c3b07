"""Python: functions, classes with their members, constants; imports at any depth, also in functions."""

from __future__ import annotations

import ast
import inspect
import re
from typing import TYPE_CHECKING

from lexibrarian.languages.outline import Outline, captured, head_of, leading_comment, name_of, one_line, parse, text_of
from lexibrarian.project import parent_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from lexibrarian.languages.project_files import ProjectFiles

_IMPORTS = "(import_statement) @it (import_from_statement) @it"
_IMPORT_TYPES = ("import_statement", "import_from_statement")
_OPENING_WORD = re.compile(rb"(?:import|from)\b")
_PLAIN_STRING = re.compile(r'"""([^"\\]*)"""')
_DEFINITIONS = ("function_definition", "class_definition", "decorated_definition")
_BRANCHES = {
    "if_statement",
    "try_statement",
    "else_clause",
    "elif_clause",
    "except_clause",
    "finally_clause",
    "with_statement",
    "block",
}


def outline(code: bytes, *, tsx: bool = False) -> Outline:
    """What a Python file says about itself."""
    root = parse(code, "python").root_node
    signatures = tuple(_signatures(root, in_class=False))
    inner = _has_inner_import(code)
    statements = captured(root, "python", _IMPORTS) if inner else [n for n in root.children if n.type in _IMPORT_TYPES]
    imports = tuple(dict.fromkeys(name for node in statements for name in _imported(node)))
    return Outline("python", signatures, imports, _docstring(root) or leading_comment(root))


def _has_inner_import(code: bytes) -> bool:
    """Whether an import may stand elsewhere than at the top of the tree, which then must be searched."""
    if b"\r" in code:
        return True
    at = end = 0
    while (at := code.find(b"import", end)) >= 0:
        start = max(end, code.rfind(b"\n", end, at) + 1)
        end = code.find(b"\n", at)
        end = end if end >= 0 else len(code)
        if not _OPENING_WORD.match(code, start) or code.find(b";", start, end) >= 0:
            return True
    return False


def _public(name: str) -> bool:
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def _signatures(block: Node, *, in_class: bool) -> list[str]:
    found: list[str] = []
    for node in block.named_children:
        kind = node.type
        if kind in _DEFINITIONS:
            if signature := _definition(node):
                found.append(signature)
        elif kind == "expression_statement":
            found += _assigned(node, in_class=in_class)
        elif kind in _BRANCHES:
            found += _signatures(node, in_class=in_class)
    # Both branches of a condition may define the same name.
    return list(dict.fromkeys(found))


def _definition(node: Node) -> str:
    decorators = ""
    if node.type == "decorated_definition":
        decorators = "".join(f"{head_of(each)}\n" for each in node.named_children if each.type == "decorator")
        inner = node.child_by_field_name("definition")
        if inner is None:
            return ""
        node = inner
    kind = node.type
    if kind not in _DEFINITIONS or not _public(name_of(node)):
        return ""
    body = node.child_by_field_name("body")
    head = head_of(node, until=body).rstrip().removesuffix(":").rstrip()
    if kind == "function_definition":
        return f"{decorators}{head}"
    members = _signatures(body, in_class=True) if body else []
    lines = [f"    {line}" for member in members for line in member.splitlines()]
    return "\n".join([f"{decorators}{head}{':' if lines else ''}", *lines])


def _assigned(statement: Node, *, in_class: bool) -> list[str]:
    """Fields with a type, and constants by their name; values are no part of an interface."""
    node = statement.named_children[0] if statement.named_children else None
    if node is None or node.type != "assignment":
        return []
    left, kind = node.child_by_field_name("left"), node.child_by_field_name("type")
    name = text_of(left)
    if left is None or left.type != "identifier" or not _public(name) or name.startswith("__"):
        return []
    if kind is not None:
        return [f"{name}: {one_line(text_of(kind))}"]
    return [name] if in_class or name.isupper() else []


def _docstring(root: Node) -> str:
    first = next((node for node in root.named_children if node.type != "comment"), None)
    if first is None or first.type != "expression_statement" or first.named_children[0].type != "string":
        return ""
    literal = text_of(first.named_children[0])
    if plain := _PLAIN_STRING.fullmatch(literal):
        return inspect.cleandoc(plain[1])
    try:
        value = ast.literal_eval(literal)
    except (SyntaxError, ValueError):
        return ""
    return inspect.cleandoc(value) if isinstance(value, str) else ""


def _imported(node: Node) -> list[str]:
    """`import a.b` is `a.b`; `from .a import b, c` is `.a:b` and `.a:c`; a star is `.a:`."""
    names = [_plain(each) for each in node.children_by_field_name("name")]
    if node.type == "import_statement":
        return names
    module = "".join(text_of(node.child_by_field_name("module_name")).split())
    return [f"{module}:{name}" for name in names] or [f"{module}:"]


def _plain(node: Node) -> str:
    if node.type == "aliased_import":
        return text_of(node.child_by_field_name("name"))
    return text_of(node)


def resolve(imported: str, importer: str, files: ProjectFiles) -> list[str]:
    """The module that an import stands for: `a.b` and, for `from a import b`, the submodule `a.b` if there is one."""
    module, _, name = imported.partition(":")
    dots = len(module) - len(module.lstrip("."))
    if dots:
        package = importer.split("/")[:-1]
        if dots - 1 > len(package):
            return []
        base = package[: len(package) - (dots - 1)] + [part for part in module[dots:].split(".") if part]
        inner = files.python_file("/".join([*base, name])) if name else None
        found = inner or files.python_file("/".join(base))
        return [found] if found else []
    path = module.replace(".", "/")
    for root in files.python_roots(parent_of(importer)):
        inner = files.python_file(f"{root}{path}/{name}") if name else None
        if found := inner or files.python_file(f"{root}{path}"):
            return [found]
    return []
