"""What a command refuses to do, and what to do instead."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial


class LibraryError(Exception):
    """A refusal: one sentence for people, a code for programs, and the next step."""

    def __init__(self, message: str, *, code: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.hint = hint

    def __reduce__(self) -> tuple[Callable[[str], LibraryError], tuple[str]]:
        """Another process raises it again."""
        return partial(LibraryError, code=self.code, hint=self.hint), (self.message,)
