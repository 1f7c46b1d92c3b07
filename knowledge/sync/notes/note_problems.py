"""The problems of a note, described so that its author finds the place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class NoteProblem:
    """`line` counts from 1 in the file as it is; None where no line is to blame. `path` is within the folder."""

    path: str
    line: int | None
    message: str

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.message}"

    def as_dict(self) -> dict[str, str | int | None]:
        return {"path": self.path, "line": self.line, "message": self.message}


class NoteMistake(Exception):
    """Raised inside the reading of one note; becomes a `NoteProblem` of it."""

    def __init__(self, message: str, *, line: int | None = None) -> None:
        self.message, self.line = message, line
        super().__init__(message)

    def at(self, path: str) -> NoteProblem:
        return NoteProblem(path=path, line=self.line, message=self.message)
