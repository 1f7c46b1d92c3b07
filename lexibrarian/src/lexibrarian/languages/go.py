"""Go: names that begin with a capital letter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lexibrarian.languages.outline import (
    Outline,
    captured,
    comment_before,
    head_of,
    leading_comment,
    name_of,
    parse,
    text_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node

    from lexibrarian.languages.project_files import ProjectFiles


def outline(code: bytes, *, tsx: bool = False) -> Outline:
    """What a Go file says about itself."""
    root = parse(code, "go").root_node
    signatures = [text for node in root.named_children for text in _declared(node)]
    paths = captured(root, "go", "(import_spec path: (_) @it)")
    imports = tuple(dict.fromkeys(text_of(node).strip('"`') for node in paths))
    package = next((node for node in root.named_children if node.type == "package_clause"), None)
    return Outline(
        "go", tuple(signatures), imports, (comment_before(package) if package else "") or leading_comment(root)
    )


def _public(name: str) -> bool:
    return name[:1].isupper()


def _declared(node: Node) -> list[str]:
    if node.type in ("function_declaration", "method_declaration"):
        return [head_of(node, until=node.child_by_field_name("body"))] if _public(name_of(node)) else []
    if node.type == "type_declaration":
        return [
            _type(each)
            for each in node.named_children
            if each.type in ("type_spec", "type_alias") and _public(name_of(each))
        ]
    if node.type in ("const_declaration", "var_declaration"):
        word = text_of(node.children[0])
        specs = captured(node, "go", "[(const_spec) (var_spec)] @it")
        return [f"{word} {text}" for spec in specs for text in _values(spec)]
    return []


def _type(spec: Node) -> str:
    kind = spec.child_by_field_name("type")
    if kind is None or kind.type not in ("struct_type", "interface_type"):
        return f"type {head_of(spec)}"
    head = f"type {head_of(spec, until=kind)} {kind.type.removesuffix('_type')}"
    wanted = "(field_declaration) @it" if kind.type == "struct_type" else "[(method_elem) (type_elem)] @it"
    direct = {kind.id, *(child.id for child in kind.named_children)}
    members = [each for each in captured(kind, "go", wanted) if each.parent is not None and each.parent.id in direct]
    lines = [f"    {head_of(each)}" for each in members if _public(name_of(each) or text_of(each).lstrip("*"))]
    return "\n".join([head, *lines])


def _values(spec: Node) -> list[str]:
    kind = text_of(spec.child_by_field_name("type"))
    names = [text_of(each) for each in spec.children_by_field_name("name")]
    return [f"{name} {kind}".rstrip() for name in names if _public(name)]


def resolve(imported: str, importer: str, files: ProjectFiles) -> list[str]:
    """The files of the imported package, tests left out, where it belongs to a module of the project."""
    for module, directory in files.go_modules.items():
        if imported == module or imported.startswith(f"{module}/"):
            inside = imported[len(module) :].strip("/")
            where = "/".join(part for part in (directory, inside) if part)
            found = files.inside(where)
            return [path for path in found if path.endswith(".go") and not path.endswith("_test.go")]
    return []
