"""Where words stand in a file of a repository: what a citation of code names, wherever it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from knowledge.models import Page


@dataclass(frozen=True, kw_only=True)
class FilePlace:
    """Lines count from 1 in the file, both included. `file_hash` is the SHA-256 of the file as it was read; `commit`
    was checked out then, and is empty without git."""

    path: str
    start_line: int
    end_line: int
    file_hash: str
    commit: str = ""

    def as_json(self) -> dict[str, Any]:
        """As every interface shows it; without git there is no commit."""
        shown = {
            "path": self.path,
            "startLine": self.start_line,
            "endLine": self.end_line,
            "fileHash": self.file_hash,
            "commit": self.commit,
        }
        return {name: value for name, value in shown.items() if value}

    @property
    def lines(self) -> str:
        """ "line 3" or "lines 3–9"."""
        is_one = self.start_line == self.end_line
        return f"line {self.start_line}" if is_one else f"lines {self.start_line}–{self.end_line}"


def lines_of_span(text: str, start: int, end: int, *, first_line: int = 1) -> tuple[int, int]:
    """The first and the last line that `text[start:end]` touches, where the text begins on `first_line`."""
    first = first_line + text.count("\n", 0, start)
    return first, first + text.count("\n", start, max(start, end - 1))


def place_on_page(page: Page, *, start: int, end: int) -> FilePlace | None:
    """Where the span of a page stands in its file; None where the page is of no repository."""
    if not page.repository_path:
        return None
    first, last = lines_of_span(page.text, min(start, len(page.text)), min(end, len(page.text)))
    return FilePlace(
        path=page.repository_path,
        start_line=first,
        end_line=last,
        file_hash=page.source_sha256,
        commit=page.commit,
    )
