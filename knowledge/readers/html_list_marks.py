"""The numbers that a browser draws before the items of an ordered list."""

from __future__ import annotations

import re
from collections.abc import Callable

from lxml import etree

from knowledge.readers.list_numbers import NUMBERS_OF_KINDS

_STYLE = re.compile(r"list-style(?:-type)?\s{0,9}:[^;]{0,60}?\b(none|decimal|(?:lower|upper)-(?:alpha|latin|roman))\b")
_KIND_OF_STYLE = {"decimal": "1", "none": ""}
_KIND_OF_STYLE |= {f"lower-{name}": kind for name, kind in (("alpha", "a"), ("latin", "a"), ("roman", "i"))}
_KIND_OF_STYLE |= {f"upper-{name}": kind for name, kind in (("alpha", "A"), ("latin", "A"), ("roman", "I"))}
_WHOLE_NUMBER = re.compile(r"\s*([-+]?\d{1,6})\s*")


class HtmlListMarks:
    """Gives the mark of each item in turn. `is_hidden` says which items nobody sees."""

    def __init__(self, is_hidden: Callable[[etree._Element], bool]) -> None:
        self._is_hidden = is_hidden
        self._next_numbers: dict[etree._Element, int] = {}

    def next_mark(self, item: etree._Element) -> str:
        """The mark before an item, with a space behind it; empty for what is no item of an ordered list, or a link of
        a menu. Items must be asked for in their order."""
        if item.tag != "li" or (parent := item.getparent()) is None or parent.tag != "ol":
            return ""
        number = _whole_number(item.get("value"))
        if number is None:
            number = self._next_numbers[parent] if parent in self._next_numbers else self._first_number(parent)
        self._next_numbers[parent] = number + (-1 if "reversed" in parent.attrib else 1)
        kind = _kind(item) if _kind(item) is not None else _kind(parent)
        if kind == "" or next(item.iterancestors("nav"), None) is not None:
            return ""
        return f"{NUMBERS_OF_KINDS[kind or '1'](number)}. "

    def _first_number(self, ordered: etree._Element) -> int:
        start = _whole_number(ordered.get("start"))
        if start is not None:
            return start
        if "reversed" not in ordered.attrib:
            return 1
        return sum(not self._is_hidden(item) for item in ordered.iterchildren("li"))


def _whole_number(written: str | None) -> int | None:
    found = _WHOLE_NUMBER.fullmatch(written or "")
    return int(found[1]) if found else None


def _kind(element: etree._Element) -> str | None:
    """The kind that the element names; "" where it has no numbers, None where it says nothing."""
    if styled := _STYLE.search(element.get("style", "")[:2000].lower()):
        return _KIND_OF_STYLE[styled[1]]
    kind = element.get("type", "")
    return kind if kind in NUMBERS_OF_KINDS else None
