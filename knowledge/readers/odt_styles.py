"""What the styles of an OpenDocument text say that its words do not: which text is raised, and how lists are marked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from lxml import etree

from knowledge.readers.list_numbers import NUMBERS_OF_KINDS

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_RAISED = re.compile(r"super\b|[1-9]")
_BULLET = "- "
_MAX_NUMBER, _MAX_MARK_LENGTH = 9999, 20


def raised_style_names(roots: Iterable[etree._Element]) -> frozenset[str]:
    """The names of the styles whose text stands above the line."""
    return frozenset(
        style.get(f"{_STYLE}name", "")
        for root in roots
        for style in root.iter(f"{_STYLE}style")
        for look in style.iterchildren(f"{_STYLE}text-properties")
        if _RAISED.match(look.get(f"{_STYLE}text-position", ""))
    )


@dataclass(frozen=True)
class _Level:
    """`kind` is "-" for a bullet, "" for no mark; `shown` is of how many levels the number is made."""

    kind: str
    prefix: str
    suffix: str
    first: int
    shown: int


@dataclass
class _OpenList:
    style: str
    depth: int
    counts: dict[int, int] = field(default_factory=dict)  # by level


class OdtListMarks:
    """The bullets and numbers before the items of lists, which stand before the first paragraph of each."""

    def __init__(self, roots: Iterable[etree._Element]) -> None:
        self._levels = {
            style.get(f"{_STYLE}name", ""): dict(_read_levels(style))
            for root in roots
            for style in root.iter(f"{_TEXT}list-style")
        }
        self._open: dict[etree._Element, _OpenList] = {}
        self._last: dict[str, dict[int, int]] = {}

    def next_mark(self, paragraph: etree._Element) -> str:
        """The mark before the paragraph, with a space behind it; empty where there is none. Paragraphs must be asked
        for in their order."""
        item = paragraph.getparent()
        if item is None or item.tag != f"{_TEXT}list-item" or paragraph.getprevious() is not None:
            return ""
        here = self._list_of(item.getparent())
        levels = self._levels.get(here.style, {})
        level = levels.get(here.depth)
        if level is None:
            return ""
        if level.kind == "-":
            return _BULLET
        counts = here.counts
        counts[here.depth] = (
            _read_integer(item.get(f"{_TEXT}start-value")) or counts.get(here.depth, level.first - 1) + 1
        )
        for deeper in [one for one in counts if one > here.depth]:
            del counts[deeper]
        return _numbered(here.depth, level, levels, counts)

    def _list_of(self, node: etree._Element) -> _OpenList:
        if node not in self._open:
            outer = next(node.iterancestors(f"{_TEXT}list"), None)
            above = self._list_of(outer) if outer is not None else _OpenList("", 0)
            style = node.get(f"{_TEXT}style-name") or above.style
            goes_on = node.get(f"{_TEXT}continue-numbering") == "true" or f"{_TEXT}continue-list" in node.attrib
            counts = above.counts if outer is not None else self._last.get(style, {}) if goes_on else {}
            self._last[style] = counts
            self._open[node] = _OpenList(style, above.depth + 1, counts)
        return self._open[node]


def _read_levels(style: etree._Element) -> Iterator[tuple[int, _Level]]:
    for level in style.iterchildren(f"{_TEXT}list-level-style-number", f"{_TEXT}list-level-style-bullet"):
        kind = "-" if level.tag.endswith("bullet") else level.get(f"{_STYLE}num-format", "")
        yield (
            _read_integer(level.get(f"{_TEXT}level")) or 1,
            _Level(
                kind=kind if kind == "-" or kind in NUMBERS_OF_KINDS else "",
                prefix=level.get(f"{_STYLE}num-prefix", ""),
                suffix=level.get(f"{_STYLE}num-suffix", ""),
                first=_read_integer(level.get(f"{_TEXT}start-value")) or 1,
                shown=_read_integer(level.get(f"{_TEXT}display-levels")) or 1,
            ),
        )


def _numbered(depth: int, level: _Level, levels: Mapping[int, _Level], counts: Mapping[int, int]) -> str:
    if not level.kind:
        return ""
    shown = [
        at
        for at in range(max(1, depth - level.shown + 1), depth + 1)
        if at in levels and levels[at].kind not in ("", "-")
    ]
    number = ".".join(NUMBERS_OF_KINDS[levels[at].kind](min(counts.get(at, 1), _MAX_NUMBER)) for at in shown)
    mark = " ".join(f"{level.prefix}{number}{level.suffix}".split())
    return f"{mark} " if len(mark) <= _MAX_MARK_LENGTH else ""


def _read_integer(written: str | None) -> int:
    """The number; 0 where there is none."""
    return (
        min(int(written), _MAX_NUMBER)
        if written and written.isascii() and written.isdigit() and len(written) < 9
        else 0
    )
