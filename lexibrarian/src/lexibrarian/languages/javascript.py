"""JavaScript and TypeScript: what a module exports, or, where it exports nothing, what it declares."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lexibrarian.languages.outline import (
    Outline,
    captured,
    comment_before,
    head_of,
    leading_comment,
    name_of,
    one_line,
    parse,
    text_of,
)
from lexibrarian.languages.project_files import joined

if TYPE_CHECKING:
    from tree_sitter import Node

    from lexibrarian.languages.project_files import ProjectFiles

_IMPORTS = """
(import_statement source: (string) @it)
(export_statement source: (string) @it)
(call_expression function: [(identifier) (import)] @function arguments: (arguments . (string) @it)
  (#any-of? @function "require" "import"))
"""
_ENDINGS = (".ts", ".tsx", ".mts", ".cts", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".vue", ".css")
_DECLARATIONS = {
    "function_declaration",
    "generator_function_declaration",
    "function_signature",
    "class_declaration",
    "abstract_class_declaration",
    "interface_declaration",
    "type_alias_declaration",
    "enum_declaration",
    "lexical_declaration",
    "variable_declaration",
    "internal_module",
    "class",
}
_MEMBERS = {
    "method_definition",
    "method_signature",
    "abstract_method_signature",
    "public_field_definition",
    "field_definition",
    "property_signature",
    "call_signature",
    "construct_signature",
    "index_signature",
}


def outline(code: bytes, *, tsx: bool = False, grammar: str = "javascript") -> Outline:
    """What a file of JavaScript, or with `tsx` of TypeScript with markup, says about itself."""
    grammar = "tsx" if tsx else grammar
    root = parse(code, grammar).root_node
    exported = [signature for node in root.named_children for signature in _exported(node)]
    if not exported:
        exported = [each for node in root.named_children for each in _declared(node) if not _name(each).startswith("_")]
    imports = tuple(dict.fromkeys(text_of(node).strip("'\"`") for node in captured(root, grammar, _IMPORTS)))
    fence = "javascript" if grammar == "javascript" else "typescript"
    return Outline(fence, tuple(dict.fromkeys(exported)), imports, leading_comment(root) or _first_comment(root))


def _name(signature: str) -> str:
    found = re.match(
        r"(?:export |default |declare |abstract |async )*(?:function\*?|class|const|let|var|type|interface|enum) (\w+)",
        signature,
    )
    return found[1] if found else signature


def _first_comment(root: Node) -> str:
    declared = next((node for node in root.named_children if node.type in (*_DECLARATIONS, "export_statement")), None)
    return comment_before(declared) if declared else ""


def _exported(node: Node) -> list[str]:
    if node.type == "expression_statement":
        return _common_js(node)
    if node.type != "export_statement":
        return []
    default = "default " if any(child.type == "default" for child in node.children) else ""
    declaration = node.child_by_field_name("declaration")
    if declaration is not None:
        return [f"export {default}{text}" for text in _declared(declaration)]
    value = node.child_by_field_name("value")
    if value is not None:
        return [f"export default {text}" for text in _declared(value)] or [f"export default {_value(value)}"]
    return [one_line(text_of(node)).rstrip(";")]


def _common_js(statement: Node) -> list[str]:
    """`module.exports = …` and `exports.name = …`."""
    node = statement.named_children[0] if statement.named_children else None
    if node is None or node.type != "assignment_expression":
        return []
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    target = text_of(left)
    if right is None or not re.match(r"(module\.)?exports\b", target):
        return []
    return [f"{target} = {_value(right)}"]


def _value(node: Node) -> str:
    if node.type == "object":
        keys = [
            text_of(each.child_by_field_name("key")) or name_of(each) or text_of(each)
            for each in node.named_children
            if "comment" not in each.type
        ]
        return f"{{{', '.join(one_line(key) for key in keys)}}}"
    if node.type in ("arrow_function", "function_expression", "generator_function"):
        return head_of(node, until=node.child_by_field_name("body")).removesuffix("=>").rstrip()
    return one_line(text_of(node)) if node.type in ("identifier", "member_expression") else ""


def _declared(node: Node) -> list[str]:
    if node.type == "ambient_declaration":
        return [f"declare {text}" for child in node.named_children for text in _declared(child)]
    if node.type not in _DECLARATIONS:
        return []
    if node.type in ("lexical_declaration", "variable_declaration"):
        word = text_of(node.children[0])
        return [f"{word} {_variable(each)}" for each in node.named_children if each.type == "variable_declarator"]
    if node.type == "type_alias_declaration":
        return [head_of(node).rstrip(";")]
    body = node.child_by_field_name("body")
    head = head_of(node, until=body).removesuffix("{").rstrip().rstrip(";")
    if body is None or "function" in node.type:
        return [head]
    if node.type == "enum_declaration":
        lines = [f"    {name_of(each) or text_of(each)}" for each in body.named_children if "comment" not in each.type]
    else:
        lines = [f"    {text}" for each in body.named_children if (text := _member(each))]
    return ["\n".join([head, *lines])]


def _variable(node: Node) -> str:
    kind, value = text_of(node.child_by_field_name("type")), node.child_by_field_name("value")
    signature = _value(value) if value is not None and "function" in value.type else ""
    return f"{name_of(node)}{kind}{f' = {signature}' if signature else ''}"


def _member(node: Node) -> str:
    if node.type not in _MEMBERS:
        return ""
    modifiers = [text_of(child) for child in node.children if child.type == "accessibility_modifier"]
    name = name_of(node) or text_of(node.child_by_field_name("property"))
    if "private" in modifiers or name.startswith(("#", "_")):
        return ""
    value = node.child_by_field_name("value")
    return head_of(node, until=node.child_by_field_name("body") or value).rstrip("={ ").rstrip(";").rstrip()


def resolve(imported: str, importer: str, files: ProjectFiles) -> list[str]:
    """The file of a relative import, also without its ending, of a directory's index, or of a path from the root."""
    directory = importer.rpartition("/")[0]
    if imported.startswith("."):
        path = joined(directory, imported)
    elif imported.startswith(("@/", "~/", "/")):
        path = f"src/{imported.partition('/')[2]}"
    else:
        return []
    if path is None:
        return []
    stem = re.sub(r"\.[mc]?jsx?$", "", path)
    options = [path, *(f"{path}{end}" for end in _ENDINGS), *(f"{stem}{end}" for end in _ENDINGS[:4])]
    options += [f"{path}/index{end}" if path else f"index{end}" for end in _ENDINGS]
    return [option for option in options if option in files][:1]
