"""Rust: items that are `pub`, and what traits and public implementations hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lexibrarian.languages.outline import Outline, captured, head_of, leading_comment, one_line, parse, text_of
from lexibrarian.languages.project_files import joined

if TYPE_CHECKING:
    from tree_sitter import Node

    from lexibrarian.languages.project_files import ProjectFiles

_IMPORTS = "(use_declaration argument: (_) @it) (mod_item !body name: (_) @it)"
_LEAVES = {"function_item", "function_signature_item", "const_item", "static_item", "type_item", "associated_type"}


def outline(code: bytes, *, tsx: bool = False) -> Outline:
    """What a Rust file says about itself."""
    root = parse(code, "rust").root_node
    signatures = tuple(text for node in root.named_children if (text := _item(node, public=_is_public(node))))
    imports: dict[str, None] = {}
    for node in captured(root, "rust", _IMPORTS):
        if node.parent is not None and node.parent.type == "mod_item":
            imports[f"mod {text_of(node)}"] = None
        else:
            imports.update(dict.fromkeys(_used(node, "")))
    return Outline("rust", signatures, tuple(imports), leading_comment(root))


def _is_public(node: Node) -> bool:
    return any(child.type == "visibility_modifier" for child in node.children)


def _item(node: Node, *, public: bool) -> str:
    body = node.child_by_field_name("body")
    if node.type == "impl_item":
        return _implementation(node, body)
    if not public:
        return ""
    if node.type in _LEAVES:
        return head_of(node, until=body or node.child_by_field_name("value")).rstrip("={; ")
    if node.type not in ("struct_item", "enum_item", "trait_item", "union_item", "mod_item"):
        return ""
    head = head_of(node, until=body).rstrip("{; ")
    members = body.named_children if body is not None else []
    if node.type in ("struct_item", "union_item"):
        members = [each for each in members if each.type == "field_declaration" and _is_public(each)]
        lines = [head_of(each) for each in members]
    elif node.type == "enum_item":
        lines = [head_of(each) for each in members if each.type == "enum_variant"]
    else:
        lines = [
            text for each in members if (text := _item(each, public=node.type == "trait_item" or _is_public(each)))
        ]
    return "\n".join([head, *(f"    {line}" for text in lines for line in text.splitlines())])


def _implementation(node: Node, body: Node | None) -> str:
    of_trait = node.child_by_field_name("trait") is not None
    members = body.named_children if body is not None else []
    lines = [text for each in members if (text := _item(each, public=of_trait or _is_public(each)))]
    return "\n".join([head_of(node, until=body), *(f"    {line}" for line in lines)]) if lines or of_trait else ""


def _used(node: Node, prefix: str) -> list[str]:
    """The paths of a `use`, its braces taken apart."""
    if node.type == "use_list":
        return [path for each in node.named_children for path in _used(each, prefix)]
    if node.type == "scoped_use_list":
        inner = f"{prefix}{one_line(text_of(node.child_by_field_name('path')))}::"
        listed = node.child_by_field_name("list")
        return _used(listed, inner) if listed is not None else []
    if node.type == "use_as_clause":
        return [prefix + text_of(node.child_by_field_name("path"))]
    return [prefix + one_line(text_of(node)).removesuffix("::*")]


def resolve(imported: str, importer: str, files: ProjectFiles) -> list[str]:
    """The file of `mod name;`, or of a path from `crate`, `self` or `super`: its longest part with a file."""
    directory, name = importer.rpartition("/")[::2]
    own = (
        directory if name in ("mod.rs", "lib.rs", "main.rs") else f"{directory}/{name.removesuffix('.rs')}".lstrip("/")
    )
    if imported.startswith("mod "):
        return _file(joined(own, imported[4:]), files)
    first, *rest = imported.split("::")
    base: str | None
    if first == "crate":
        base = _crate(directory, files)
    elif first in ("self", "super"):
        base = own
        for part in [first, *rest]:
            base = joined(base, "..") if part == "super" and base is not None else base
        rest = [part for part in rest if part != "super"]
    else:
        return []
    for length in range(len(rest), 0, -1):
        if base is not None and (found := _file(joined(base, "/".join(rest[:length])), files)):
            return found
    return []


def _crate(directory: str, files: ProjectFiles) -> str | None:
    parts = directory.split("/") if directory else []
    for depth in range(len(parts), -1, -1):
        above = "/".join(parts[:depth])
        if any("/".join(filter(None, [above, name])) in files for name in ("lib.rs", "main.rs")):
            return above
    return None


def _file(path: str | None, files: ProjectFiles) -> list[str]:
    return [option for option in (f"{path}.rs", f"{path}/mod.rs") if option in files][:1] if path else []
