"""Whether every locked package may be used: `python -m supply_chain.licences`. Ends with 1 where one may not."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from license_expression import ExpressionError, get_spdx_licensing

from supply_chain.locked_packages import LOCKS, LockedPackage, read_lock

# Those that ask for no more than to be named, and two that ask for changes of the library itself to be given away.
ALLOWED = frozenset(
    {"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "CNRI-Python", "ISC", "LGPL-3.0-only", "MIT"}
    | {"MIT-0", "MIT-CMU", "MPL-2.0", "PSF-2.0", "Unlicense", "Zlib"}
)
# Of packages that only tests use, and that nobody is given.
ALLOWED_IN_TESTS = ALLOWED | {"Artistic-1.0-Perl"}
_LICENSING = get_spdx_licensing()


def is_allowed(expression: str, allowed: frozenset[str] = ALLOWED) -> bool:
    """Whether the SPDX expression can be met by allowed licences alone: one side of an OR, both of an AND. “Or later”
    is a choice that begins with the version itself."""
    try:
        parsed = _LICENSING.parse(expression, validate=True)
    except ExpressionError:
        return False
    return parsed is not None and _holds(parsed, allowed)


def _holds(parsed: Any, allowed: frozenset[str]) -> bool:
    if isinstance(parsed, _LICENSING.OR):
        return any(_holds(side, allowed) for side in parsed.args)
    if isinstance(parsed, _LICENSING.AND):
        return all(_holds(side, allowed) for side in parsed.args)
    name = str(parsed)  # with an exception it is called “X WITH Y”
    return name in allowed or name.replace("-or-later", "-only") in allowed


def refused_packages() -> Iterator[LockedPackage]:
    """The packages whose licence is unknown, or not allowed where they are used."""
    for lock, allowed in zip(LOCKS, (ALLOWED, ALLOWED_IN_TESTS), strict=True):
        yield from (package for package in read_lock(lock) if not is_allowed(package.licence, allowed))


def main() -> int:
    refused = list(refused_packages())
    for package in refused:
        licence = package.licence or "its metadata name no licence"
        print(f"{package.name} {package.version} may not be used: {licence}", file=sys.stderr)
    if not refused:
        print("Every locked package has an allowed licence.")
    return bool(refused)


if __name__ == "__main__":
    sys.exit(main())
