"""The path, lines and commit of a span in a file of a repository, which a citation of code names."""

from __future__ import annotations

from collections.abc import Mapping
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

    @classmethod
    def from_json(cls, shown: Mapping[str, Any]) -> FilePlace | None:
        """The place that `as_json` has shown among other keys; None where there is none."""
        if not shown.get("path"):
            return None
        return cls(
            path=shown["path"],
            start_line=shown["startLine"],
            end_line=shown["endLine"],
            file_hash=shown["fileHash"],
            commit=shown.get("commit", ""),
        )

    @property
    def lines(self) -> str:
        """ "line 3" or "lines 3–9"."""
        return lines_text(self.start_line, self.end_line)


def lines_text(first: int, last: int) -> str:
    """ "line 3" or "lines 3–9"."""
    return f"line {first}" if first == last else f"lines {first}–{last}"


def place_as_json(place: FilePlace | None) -> dict[str, Any]:
    """The keys of the place; none without a place."""
    return place.as_json() if place else {}


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
