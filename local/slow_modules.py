"""Modules of libraries that take long to load, and of which most processes use nothing.

Their libraries load them at once: with the settings, and with the models.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import LazyLoader
from typing import TYPE_CHECKING

from language.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from types import ModuleType

# Two patterns that ignore case, with all letters of the world in them: one checks e-mail addresses in the environment,
# the other the addresses of clients of OAuth. Each takes as long to compile as a whole framework to load.
_WITH_SLOW_PATTERNS = frozenset({"marshmallow.validate", "oauth2_provider.validators"})
# Keys of tokens of OpenID Connect, which is switched off here. All kinds of certificates come with them.
_LOADED_WHEN_USED = frozenset({"jwcrypto.jwk"})
_compile_at_once = re.compile


@contextmanager
def deferring_slow_modules() -> Iterator[None]:
    """What these modules take is left, where they are loaded inside the block, to whoever uses them first."""
    finder = _SlowModuleFinder()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class _SlowModuleFinder:
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in _WITH_SLOW_PATTERNS | _LOADED_WHEN_USED:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or not isinstance(spec.loader, SourceFileLoader):
            return spec
        if fullname in _LOADED_WHEN_USED:
            spec.loader = LazyLoader(spec.loader)
        else:
            spec.loader = _LazyPatternLoader(spec.loader.name, spec.loader.path)
        return spec


class _LazyPatternLoader(SourceFileLoader):
    """Loads a module whose patterns are compiled when they are first used."""

    def exec_module(self, module: ModuleType) -> None:
        def compile_when_used(pattern: str, flags: int = 0) -> re.Pattern[str]:
            is_of_module = sys._getframe(1).f_globals is vars(module)
            return (lazy_pattern if is_of_module else _compile_at_once)(pattern, flags)

        re.compile = compile_when_used  # type: ignore[assignment]
        try:
            super().exec_module(module)
        finally:
            re.compile = _compile_at_once
