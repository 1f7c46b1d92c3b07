"""Patterns that are compiled when they are first used. The long ones together take a third of a second, which every
command and every process that never reads a text would wait for."""

from __future__ import annotations

import re
from typing import Any, cast

_compile = re.compile


class _LazyPattern:
    def __init__(self, pattern: str, flags: int) -> None:
        self._arguments = (pattern, flags)

    def __getattr__(self, name: str) -> Any:
        """The attribute of the compiled pattern; found here from then on."""
        if name.startswith("__"):  # abstract classes and copies ask for such, which no pattern has
            raise AttributeError(name)
        value = getattr(_compile(*self._arguments), name)
        setattr(self, name, value)
        return value


def lazy_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """As `re.compile`, which is called with the first use."""
    return cast("re.Pattern[str]", _LazyPattern(pattern, flags))
