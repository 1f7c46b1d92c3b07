"""Names of WordprocessingML, and how its attributes are read."""

from __future__ import annotations

from typing import Any

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"


def attribute(element: Any, name: str) -> str:
    """The attribute `w:name` of an element; empty where there is none, or no element."""
    return "" if element is None else str(element.get(f"{W}{name}", ""))


def is_on(element: Any) -> bool:
    """Whether an on-off property that is there is not set to be off."""
    return element.get(f"{W}val", "1") not in ("0", "false", "off")
