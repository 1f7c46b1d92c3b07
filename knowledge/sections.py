"""The sections of a page, and which of them are cut as one.

A section is what stands under one heading. A small one joins its kin, a bare heading joins what follows it, and
the path of headings is carried from page to page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from knowledge.readers.types import Heading, PageText

Path = tuple[str, ...]
Length = Callable[[int, int], int]

_LONGEST_NAME = 200
# Shares of a chunk's size: below the first a section may join its kin, below the second any neighbour.
_SMALL, _TINY = 4, 16
# A heading comes with marks ("##", a number) that its title may lack.
_MARKS = 12


@dataclass(frozen=True, kw_only=True, slots=True)
class Section:
    """A part of a page under one heading, or several that belong together."""

    start: int
    end: int
    path: Path
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
        if name := " ".join(heading.title.split())[:_LONGEST_NAME]:
            self._open.append((heading.level, name))

    def _path(self) -> Path:
        return tuple(name for _, name in self._open)


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """Neighbouring sections that are cut as one. `bare`: nothing but headings so far."""

    start: int
    end: int
    path: Path
    length: int
    bare: bool

    def joined(self, other: Group, *, tiny: int) -> Group:
        length = self.length + other.length
        bare = self.bare and other.bare
        return Group(start=self.start, end=other.end, path=self._shared_path(other, tiny), length=length, bare=bare)

    def _shared_path(self, other: Group, tiny: int) -> Path:
        """The path of the part that has something to say; what both have in common when both do."""
        if self.bare or (self.length < tiny <= other.length):
            return other.path
        if other.bare or (other.length < tiny <= self.length):
            return self.path
        return _shared(self.path, other.path)


def grouped(sections: Iterable[Section], *, text: str, size: int, length: Length) -> list[Group]:
    """The sections of a page, in order, with what belongs together joined. `length` and `size` share a unit."""
    groups: list[Group] = []
    for part in (_alone(section, text, length) for section in sections):
        if not text[part.start : part.end].strip():
            continue
        if groups and _belong_together(groups[-1], part, size):
            groups[-1] = groups[-1].joined(part, tiny=size // _TINY)
        else:
            groups.append(part)
    if len(groups) > 1 and groups[-1].bare:
        last = groups.pop()
        groups[-1] = groups[-1].joined(last, tiny=size // _TINY)
    return groups


def _alone(section: Section, text: str, length: Length) -> Group:
    return Group(
        start=section.start,
        end=section.end,
        path=section.path,
        length=length(section.start, section.end),
        bare=bool(section.title) and section.body(text) <= _MARKS,
    )


def _belong_together(group: Group, part: Group, size: int) -> bool:
    if group.bare:
        return True
    if group.length + part.length > size or part.bare:
        return False
    if min(group.length, part.length) < size // _TINY:
        return True
    is_small = group.length < size // _SMALL or (part.length < size // _SMALL and group.length < size // 2)
    return is_small and _are_kin(group.path, part.path)


def _are_kin(one: Path, other: Path) -> bool:
    """Sections of one parent, or one inside the other."""
    return one[:-1] == other[:-1] or len(_shared(one, other)) in (len(one), len(other))


def _shared(one: Path, other: Path) -> Path:
    """The beginning that two paths have in common."""
    pairs = enumerate(zip(one, other, strict=False))
    fork = next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))
    return one[:fork]
