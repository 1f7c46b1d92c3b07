"""Conflicts that a merge left in files of the library: those in the program's own parts mend themselves."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from lexibrarian.artefacts.markdown import FOOTER

_OURS, _BASE, _THEIRS, _END = "<<<<<<<", "|||||||", "=======", ">>>>>>>"


@dataclass
class Conflict:
    """One conflict: all its lines, those of both sides, the heading above it, and whether it lies in a footer."""

    heading: str
    in_footer: bool
    lines: list[str] = field(default_factory=list)
    ours: list[str] = field(default_factory=list)
    theirs: list[str] = field(default_factory=list)

    def belongs_to(self, sections: Collection[str]) -> bool:
        """Whether both sides are the program's: in a footer, nothing but footers, or inside of some sections."""
        if self.in_footer or all(_is_footer(side) for side in (self.ours, self.theirs)):
            return True
        headings = {line[3:].strip() for line in (*self.ours, *self.theirs) if line.startswith("## ")}
        return self.heading in sections and headings <= set(sections)


def _is_footer(side: list[str]) -> bool:
    return "".join(side).strip().startswith(FOOTER)


def _split(text: str) -> list[str | Conflict]:
    """The lines of a text, with each conflict that has all its marks in one piece."""
    pieces: list[str | Conflict] = []
    heading, in_footer = "", False
    open_one: Conflict | None = None
    side: list[str] = []
    for line in text.splitlines(keepends=True):
        if open_one is None and line.startswith(_OURS):
            open_one = Conflict(heading, in_footer, [line])
            side = open_one.ours
        elif open_one is not None:
            open_one.lines.append(line)
            if line.startswith(_END):
                pieces.append(open_one)
                open_one = None
            elif line.startswith(_BASE):
                side = []
            elif line.rstrip() == _THEIRS:
                side = open_one.theirs
            else:
                side.append(line)
        else:
            heading = line[3:].strip() if line.startswith("## ") else heading
            in_footer = (in_footer or line.startswith(FOOTER)) and "-->" not in line
            pieces.append(line)
    return [*pieces, *(open_one.lines if open_one else ())]


def resolve_generated_conflicts(text: str, sections: Collection[str]) -> str:
    """The text with one side of each conflict in these sections or in the footer; the program renews both anyway."""
    if _OURS not in text:
        return text
    kept = [
        piece if isinstance(piece, str) else "".join(piece.ours if piece.belongs_to(sections) else piece.lines)
        for piece in _split(text)
    ]
    return "".join(kept)


def sides_of(text: str) -> tuple[str, str]:
    """What the text was on either side of a merge, as far as conflicts show it."""
    pieces = _split(text)
    ours = "".join(piece if isinstance(piece, str) else "".join(piece.ours) for piece in pieces)
    theirs = "".join(piece if isinstance(piece, str) else "".join(piece.theirs) for piece in pieces)
    return ours, theirs
