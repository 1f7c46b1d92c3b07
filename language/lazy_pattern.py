"""Patterns that are compiled when they are first used. The long ones together take a third of a second, which every
command and every process that never reads a text would wait for."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

_compile = re.compile


class _LazyPattern:
    def __init__(self, pattern: str | Callable[[], str], flags: int) -> None:
        self._pattern, self._flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        """The attribute of the compiled pattern; found here from then on."""
        if name.startswith("__"):  # abstract classes and copies ask for such, which no pattern has
            raise AttributeError(name)
        text = self._pattern if isinstance(self._pattern, str) else self._pattern()
        value = getattr(_compile(text, self._flags), name)
        setattr(self, name, value)
        return value


def lazy_pattern(pattern: str | Callable[[], str], flags: int = 0) -> re.Pattern[str]:
    """As `re.compile`, which is called with the first use, as is a function that gives the pattern."""
    return cast("re.Pattern[str]", _LazyPattern(pattern, flags))
