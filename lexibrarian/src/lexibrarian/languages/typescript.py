"""TypeScript: JavaScript's rules with a grammar of its own."""

from __future__ import annotations

from lexibrarian.languages import javascript
from lexibrarian.languages.outline import Outline

resolve = javascript.resolve


def outline(code: bytes, *, tsx: bool = False) -> Outline:
    """What a TypeScript file says about itself."""
    return javascript.outline(code, tsx=tsx, grammar="typescript")
