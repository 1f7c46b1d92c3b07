"""The bullets and numbers that Word draws before the paragraphs of a list: the text of a paragraph has none of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from knowledge.readers.docx.names import W, attribute
from knowledge.readers.list_numbers import NUMBERS_OF_KINDS

_NUMBERING = "/numbering"
_PLACEHOLDER = re.compile(r"%([1-9])")
_MAX_LEVELS, _MAX_NUMBER, _MAX_MARK_LENGTH = 9, 9999, 20
_BULLET = "- "


class _Level(NamedTuple):
    """How the items of one level are marked: the kind of number, the text around it, and the first number."""

    kind: str
    pattern: str
    first: int


class _List(NamedTuple):
    """The levels of a list, the definition whose numbers it goes on with, and the levels that it begins anew."""

    levels: Mapping[int, _Level]
    definition: str
    restarts: Mapping[int, int]


class _Place(NamedTuple):
    list_id: str
    level: int


class ListMarks:
    """Gives the mark of each paragraph in turn, as far as the numbers of lists go."""

    def __init__(self, document: Any) -> None:
        self._lists = _read_lists(document)
        self._styles = _places_of_styles(document) if self._lists else {}
        self._counts: dict[str, dict[int, int]] = {}
        self._begun: set[str] = set()

    def next_mark(self, paragraph: Any) -> str:
        """The mark before the paragraph, with a space behind it; empty where it is no item of a list. Paragraphs must
        be asked for in their order."""
        place = self._place(paragraph)
        found = self._lists.get(place.list_id) if place else None
        if place is None or found is None or place.level not in found.levels:
            return ""
        level = found.levels[place.level]
        if level.kind == "bullet":
            return _BULLET
        counts = self._counts_of(place.list_id, found)
        counts[place.level] = counts.get(place.level, level.first - 1) + 1
        for deeper in [one for one in counts if one > place.level]:
            del counts[deeper]
        return _numbered(level, found.levels, counts)

    def _counts_of(self, list_id: str, found: _List) -> dict[int, int]:
        """The numbers by level. Lists of one definition go on with each other's, but for levels that begin anew."""
        counts = self._counts.setdefault(found.definition, {})
        if list_id not in self._begun:
            self._begun.add(list_id)
            counts |= {level: first - 1 for level, first in found.restarts.items()}
        return counts

    def _place(self, paragraph: Any) -> _Place | None:
        of_style = self._styles.get(attribute(paragraph.find(f"{W}pPr/{W}pStyle"), "val"))
        return _place_of(paragraph.find(f"{W}pPr"), of_style)


def _numbered(level: _Level, levels: Mapping[int, _Level], counts: Mapping[int, int]) -> str:
    def number(match: re.Match[str]) -> str:
        at = int(match[1]) - 1
        one = levels.get(at, level)
        return _WRITTEN.get(one.kind, str)(min(counts.get(at, one.first), _MAX_NUMBER))

    mark = " ".join(_PLACEHOLDER.sub(number, level.pattern).split())
    return f"{mark} " if mark and len(mark) <= _MAX_MARK_LENGTH else ""


def _letter(number: int) -> str:
    """Behind "z" come "aa", "bb" and so on."""
    return chr(ord("a") + (number - 1) % 26) * (1 + (number - 1) // 26)


_WRITTEN: Mapping[str, Callable[[int], str]] = {
    "lowerLetter": _letter,
    "upperLetter": lambda number: _letter(number).upper(),
    "lowerRoman": NUMBERS_OF_KINDS["i"],
    "upperRoman": NUMBERS_OF_KINDS["I"],
}


def _read_lists(document: Any) -> dict[str, _List]:
    """Each list by its id."""
    parts = (one.target_part for one in document.part.rels.values() if one.reltype.endswith(_NUMBERING))
    root = getattr(next(parts, None), "element", None)
    if root is None:
        return {}
    abstract = {
        attribute(one, "abstractNumId"): {
            _number(attribute(level, "ilvl")): _level(level) for level in one.findall(f"{W}lvl")
        }
        for one in root.findall(f"{W}abstractNum")
    }
    return {attribute(one, "numId"): _read_list(one, abstract) for one in root.findall(f"{W}num")}


def _read_list(node: Any, definitions: Mapping[str, Mapping[int, _Level]]) -> _List:
    """A list has the levels of its definition, but for those that it gives itself."""
    definition = attribute(node.find(f"{W}abstractNumId"), "val")
    levels, restarts = definitions.get(definition, {}), {}
    for override in node.findall(f"{W}lvlOverride"):
        at = _number(attribute(override, "ilvl"))
        own, first = override.find(f"{W}lvl"), override.find(f"{W}startOverride")
        if own is not None:
            levels = {**levels, at: _level(own)}
            restarts[at] = levels[at].first
        if first is not None:
            restarts[at] = _number(attribute(first, "val"))
    return _List(levels, definition, restarts)


def _level(level: Any) -> _Level:
    kind = attribute(level.find(f"{W}numFmt"), "val")
    pattern = attribute(level.find(f"{W}lvlText"), "val")
    return _Level(kind, "" if kind == "none" else pattern, _number(attribute(level.find(f"{W}start"), "val"), least=1))


def _number(text: str, *, least: int = 0) -> int:
    return max(least, min(int(text), _MAX_NUMBER)) if text.isascii() and text.isdigit() else least


def _places_of_styles(document: Any) -> dict[str, _Place]:
    """The list and level of each style that has one, its own or that of the style it is based on."""
    styles = {attribute(style, "styleId"): style for style in document.styles.element.iter(f"{W}style")}
    places: dict[str, _Place] = {}
    for name in styles:
        found, at = None, name
        for _ in range(_MAX_LEVELS):
            style = styles.get(at)
            if style is None or (found := _place_of(style.find(f"{W}pPr"), None)):
                break
            at = attribute(style.find(f"{W}basedOn"), "val")
        if found:
            places[name] = found
    return places


def _place_of(properties: Any, inherited: _Place | None) -> _Place | None:
    """What the properties of a paragraph or style say; list "0" takes it out of its list."""
    numbering = None if properties is None else properties.find(f"{W}numPr")
    if numbering is None:
        return inherited
    level = numbering.find(f"{W}ilvl")
    list_id = attribute(numbering.find(f"{W}numId"), "val") or (inherited.list_id if inherited else "")
    depth = _number(attribute(level, "val")) if level is not None else (inherited.level if inherited else 0)
    return _Place(list_id, depth) if list_id not in ("", "0") else None
