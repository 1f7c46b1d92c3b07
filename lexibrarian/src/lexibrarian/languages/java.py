"""Java: what is public or protected, and all members of interfaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lexibrarian.languages.outline import Outline, captured, comment_before, head_of, leading_comment, parse, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from lexibrarian.languages.project_files import ProjectFiles

_TYPES = {
    "class_declaration",
    "interface_declaration",
    "enum_declaration",
    "record_declaration",
    "annotation_type_declaration",
}
_MEMBERS = {
    "method_declaration",
    "constructor_declaration",
    "field_declaration",
    "constant_declaration",
    "annotation_type_element_declaration",
}


def outline(code: bytes, *, tsx: bool = False) -> Outline:
    """What a Java file says about itself."""
    root = parse(code, "java").root_node
    types = [node for node in root.named_children if node.type in _TYPES]
    signatures = tuple(_type(node) for node in types)
    imports = tuple(dict.fromkeys(_imported(node) for node in captured(root, "java", "(import_declaration) @it")))
    return Outline("java", signatures, imports, (comment_before(types[0]) if types else "") or leading_comment(root))


def _imported(node: Node) -> str:
    words = text_of(node).rstrip(";").split()
    return f"static {words[-1]}" if "static" in words else words[-1]


def _type(node: Node) -> str:
    body = node.child_by_field_name("body")
    everything = node.type in ("interface_declaration", "annotation_type_declaration")
    head = head_of(node, until=body).rstrip("{ ")
    members = [line for each in _members(body) for line in _member(each, everything=everything).splitlines()]
    return "\n".join([head, *(f"    {line}" for line in members)])


def _members(body: Node | None) -> list[Node]:
    if body is None:
        return []
    found: list[Node] = []
    for node in body.named_children:
        found += node.named_children if node.type == "enum_body_declarations" else [node]
    return found


def _member(node: Node, *, everything: bool) -> str:
    if node.type == "enum_constant":
        return head_of(node, until=node.child_by_field_name("body"))
    if node.type not in _MEMBERS | _TYPES:
        return ""
    modifiers = next((text_of(child) for child in node.children if child.type == "modifiers"), "")
    hidden = "private" in modifiers.split() if everything else not {"public", "protected"} & set(modifiers.split())
    if hidden:
        return ""
    if node.type in _TYPES:
        return _type(node)
    if node.type in ("field_declaration", "constant_declaration"):
        declarator = node.child_by_field_name("declarator")
        value = declarator.child_by_field_name("value") if declarator is not None else None
        return head_of(node, until=value).rstrip("=; ")
    return head_of(node, until=node.child_by_field_name("body")).rstrip("{; ")


def resolve(imported: str, importer: str, files: ProjectFiles) -> list[str]:
    """The file of an imported type, wherever its source root lies; all files of a package for a star."""
    static = imported.startswith("static ")
    parts = imported.removeprefix("static ").split(".")
    if parts[-1] == "*" and not static:
        first = files.ending_in(f"{'/'.join(parts[:-1])}/package-info.java", importer)
        return [path for path in files.inside(first.rpartition("/")[0]) if path.endswith(".java")] if first else []
    # A nested type, and a static member, live in the file of the type around them.
    for length in range(len(parts), max(len(parts) - 3, 0), -1):
        found = files.ending_in(f"{'/'.join(parts[:length])}.java", importer)
        if found:
            return [found]
    return []
