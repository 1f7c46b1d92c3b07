"""The sections of a page, and which of them are cut as one.

A section is what stands under one heading. A small one joins its kin, a bare heading joins what follows it, and
the path of headings is carried from page to page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from knowledge.readers.types import Heading, PageText

SectionPath = tuple[str, ...]
LengthFunction = Callable[[int, int], int]

_MAX_NAME_LENGTH = 200
# Shares of a chunk's size: below the first a section may join its kin, below the second any neighbour.
_SMALL_DIVISOR, _TINY_DIVISOR = 4, 16
# A heading comes with marks ("##", a number) that its title may lack.
_MAX_MARKUP_CHARACTERS = 12


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """A part of a page under one heading, or several that belong together."""

    start: int
    end: int
    path: SectionPath
    title: str = ""

    def body(self, text: str) -> int:
        """How many characters stand under the heading, white space and the heading's own mark-up left out."""
        return len("".join(text[self.start : self.end].split())) - len("".join(self.title.split()))


class Outline:
    """The headings of a document. The path is carried from page to page, so pages must be asked for in order."""

    def __init__(self, headings: Sequence[Heading]) -> None:
        self._by_page: dict[int, list[Heading]] = {}
        for heading in sorted(headings, key=lambda one: (one.page, one.start)):
            self._by_page.setdefault(heading.page, []).append(heading)
        self._open: list[tuple[int, str]] = []

    def sections(self, page: PageText) -> Iterator[Section]:
        start, title = 0, ""
        for heading in self._by_page.get(page.number, []):
            end = min(max(start, heading.start), len(page.text))
            yield Section(start=start, end=end, path=self._path(), title=title)
            start, title = end, heading.title
            self._enter(heading)
        yield Section(start=start, end=len(page.text), path=self._path(), title=title)

    def _enter(self, heading: Heading) -> None:
        while self._open and self._open[-1][0] >= heading.level:
            self._open.pop()
        if name := " ".join(heading.title.split())[:_MAX_NAME_LENGTH]:
            self._open.append((heading.level, name))

    def _path(self) -> SectionPath:
        return tuple(name for _, name in self._open)


@dataclass(frozen=True, kw_only=True, slots=True)
class SectionGroup:
    """Neighbouring sections that are cut as one. `is_bare`: nothing but headings so far."""

    start: int
    end: int
    path: SectionPath
    length: int
    is_bare: bool

    def joined(self, other: SectionGroup, *, tiny: int) -> SectionGroup:
        length = self.length + other.length
        is_bare = self.is_bare and other.is_bare
        return SectionGroup(
            start=self.start, end=other.end, path=self._joined_path(other, tiny), length=length, is_bare=is_bare
        )

    def _joined_path(self, other: SectionGroup, tiny: int) -> SectionPath:
        """The path of the part that has something to say; what both have in common when both do."""
        if self.is_bare or (self.length < tiny <= other.length):
            return other.path
        if other.is_bare or (other.length < tiny <= self.length):
            return self.path
        return _shared_prefix(self.path, other.path)


def group_sections(sections: Iterable[Section], *, text: str, size: int, length: LengthFunction) -> list[SectionGroup]:
    """The sections of a page, in order, with what belongs together joined. `length` and `size` share a unit."""
    groups: list[SectionGroup] = []
    for part in (_single_group(section, text, length) for section in sections):
        if not text[part.start : part.end].strip():
            continue
        if groups and _belong_together(groups[-1], part, size):
            groups[-1] = groups[-1].joined(part, tiny=size // _TINY_DIVISOR)
        else:
            groups.append(part)
    if len(groups) > 1 and groups[-1].is_bare:
        last = groups.pop()
        groups[-1] = groups[-1].joined(last, tiny=size // _TINY_DIVISOR)
    return groups


def _single_group(section: Section, text: str, length: LengthFunction) -> SectionGroup:
    return SectionGroup(
        start=section.start,
        end=section.end,
        path=section.path,
        length=length(section.start, section.end),
        is_bare=bool(section.title) and section.body(text) <= _MAX_MARKUP_CHARACTERS,
    )


def _belong_together(group: SectionGroup, part: SectionGroup, size: int) -> bool:
    if group.is_bare:
        return True
    if group.length + part.length > size or part.is_bare:
        return False
    if min(group.length, part.length) < size // _TINY_DIVISOR:
        return True
    is_small = group.length < size // _SMALL_DIVISOR or (
        part.length < size // _SMALL_DIVISOR and group.length < size // 2
    )
    is_sibling = group.path[:-1] == part.path[:-1]
    is_nested = len(_shared_prefix(group.path, part.path)) in (len(group.path), len(part.path))
    return is_small and (is_sibling or is_nested)


def _shared_prefix(one: SectionPath, other: SectionPath) -> SectionPath:
    """The beginning that two paths have in common."""
    pairs = enumerate(zip(one, other, strict=False))
    fork = next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))
    return one[:fork]
