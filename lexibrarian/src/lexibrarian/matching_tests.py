"""Which test files are about which sources, by their names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from lexibrarian.project import suffix_of

_TEST = re.compile(
    r"(?:test_(?P<py>\w+)\.py|(?P<suffix>\w+)_test\.(?:py|go|rs)|(?P<js>[\w.-]+)\.(?:test|spec)\.[cm]?[jt]sx?|(?P<java>\w+)Tests?\.java)"
)
# A name that many sources share says nothing by itself.
_MOST = 3


def tested_name(path: str) -> str:
    """The name, without its ending, of the source that a test file is about; `""` for other files."""
    match = _TEST.fullmatch(path.rpartition("/")[2])
    return next((name for name in match.groups() if name), "") if match else ""


def stem_of(path: str) -> str:
    """A path's name up to its first dot."""
    return path.rpartition("/")[2].partition(".")[0]


def match_tests(paths: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The test files of each source, sorted. Of sources with one name, those count that share most directories."""
    sources: dict[str, list[str]] = defaultdict(list)
    tests: list[tuple[str, str]] = []
    for path in paths:
        name = tested_name(path)
        if name:
            tests.append((path, name))
        else:
            sources[stem_of(path)].append(path)
    found: dict[str, list[str]] = defaultdict(list)
    for test, name in sorted(tests):
        for source in _about(test, sources.get(name, [])):
            found[source].append(test)
    return {source: tuple(each) for source, each in found.items()}


def _about(test: str, sources: list[str]) -> list[str]:
    ending = suffix_of(test)[:3]
    candidates = [source for source in sources if suffix_of(source).startswith(ending)]
    if len(candidates) < 2:
        return candidates
    directories = set(test.split("/")[:-1])
    shared = {source: len(directories & set(source.split("/")[:-1])) for source in candidates}
    best = max(shared.values())
    closest = [source for source in candidates if shared[source] == best]
    return closest if best and len(closest) <= _MOST else []
