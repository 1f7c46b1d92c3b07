"""Equations of a Word file in one line: a fraction as `a/(b+c)`, a power as `x^2`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from knowledge.readers.docx.names import W

M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
EQUATION = f"{M}oMath"
_DELETED = frozenset({f"{W}del", f"{W}moveFrom"})
# Below this, only the letters are read: how deep an equation is nested is its author's choice.
_MAX_DEPTH = 40
# What needs no brackets to be one thing: a name, a number.
_WHOLE = re.compile(r"\w*(?:[.,]\w+)?")


def equation_text(equation: Any) -> str:
    """The visible text of an `m:oMath`."""
    return _text(equation, 0)


def _text(node: Any, depth: int) -> str:
    if not isinstance(node.tag, str) or node.tag in _DELETED:
        return ""
    if node.tag == f"{M}t":
        return node.text or ""
    if depth > _MAX_DEPTH:
        return "".join(one.text or "" for one in node.iter(f"{M}t"))
    if write := _WRITERS.get(node.tag):
        return write(node, depth + 1)
    return "".join(_text(one, depth + 1) for one in node)


def _part(node: Any, name: str, depth: int) -> str:
    found = node.find(f"{M}{name}")
    return "" if found is None else _text(found, depth)


def _in_brackets(text: str) -> str:
    return text if _WHOLE.fullmatch(text) else f"({text})"


def _fraction(node: Any, depth: int) -> str:
    return f"{_in_brackets(_part(node, 'num', depth))}/{_in_brackets(_part(node, 'den', depth))}"


def _script(node: Any, depth: int) -> str:
    base = _in_brackets(_part(node, "e", depth))
    return base + _limits(node, depth)


def _limits(node: Any, depth: int) -> str:
    below, above = _part(node, "sub", depth), _part(node, "sup", depth)
    return (f"_{_in_brackets(below)}" if below else "") + (f"^{_in_brackets(above)}" if above else "")


def _root(node: Any, depth: int) -> str:
    degree = _part(node, "deg", depth)
    return (
        f"{_in_brackets(_part(node, 'e', depth))}^(1/{degree})"
        if degree
        else f"√{_in_brackets(_part(node, 'e', depth))}"
    )


def _sum(node: Any, depth: int) -> str:
    return f"{_property(node, 'naryPr', 'chr', '∫')}{_limits(node, depth)} {_part(node, 'e', depth)}"


def _brackets(node: Any, depth: int) -> str:
    first, last = _property(node, "dPr", "begChr", "("), _property(node, "dPr", "endChr", ")")
    between = _property(node, "dPr", "sepChr", "|")
    return f"{first}{between.join(_text(one, depth) for one in node.findall(f'{M}e'))}{last}"


def _function(node: Any, depth: int) -> str:
    return f"{_part(node, 'fName', depth)} {_part(node, 'e', depth)}"


def _matrix(node: Any, depth: int) -> str:
    return "; ".join(", ".join(_text(one, depth) for one in row.findall(f"{M}e")) for row in node.findall(f"{M}mr"))


def _property(node: Any, properties: str, name: str, default: str) -> str:
    found = node.find(f"{M}{properties}/{M}{name}")
    return default if found is None else str(found.get(f"{M}val", ""))


_WRITERS: Mapping[str, Callable[[Any, int], str]] = {
    f"{M}f": _fraction,
    f"{M}sSup": _script,
    f"{M}sSub": _script,
    f"{M}sSubSup": _script,
    f"{M}rad": _root,
    f"{M}nary": _sum,
    f"{M}d": _brackets,
    f"{M}func": _function,
    f"{M}m": _matrix,
}
