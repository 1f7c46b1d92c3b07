"""A text that is gathered line by line, with the offsets of its headings."""

from __future__ import annotations

from knowledge.readers.types import Heading


class TextLines:
    """The lines so far; `length` is where the next one begins."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.length = 0
        self.headings: list[Heading] = []

    def append(self, line: str) -> None:
        self.lines.append(line)
        self.length += len(line) + 1

    def append_blank_line(self) -> None:
        """An empty line, unless one is there or nothing stands before it."""
        if self.lines and self.lines[-1]:
            self.append("")

    def text(self) -> str:
        """The lines, without empty ones at the end."""
        return "\n".join(self.lines).rstrip("\n")
