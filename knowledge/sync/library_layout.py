"""Where the files of a library lie, what their places say, and the sections of a design file. Answers ask for this
without loading what parses the files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

LIBRARY_FOLDER = ".lexibrary"
INDEX_NAME = ".aindex"
DESIGN, CONCEPT, POST, DIRECTORY, SOURCE = "design", "concept", "stack", "directory", "source"
STALE = "stale"
# What is no longer to be relied on, by the word that its front matter has for it.
RETIRED_STATUSES = frozenset({"deprecated", "outdated"})
_ENTRY_NAME = "START_HERE.md"

# How pytest, Go, Jest, JUnit and RSpec find tests.
_TEST_FOLDERS = frozenset({"test", "tests", "__tests__", "spec"})
_TEST_NAME = re.compile(
    r"test_.*\.py|.*_test\.\w{1,5}|.*\.(?:test|spec)\.\w{1,5}|.*_spec\.rb|.*Tests?\.java|conftest\.py"
)
_SECTION = re.compile(r"^## (.{1,200})$", re.MULTILINE)
_ITEM = re.compile(r"^[ \t]*[-*] `?([^`\n]{1,2000})`?[ \t]*$", re.MULTILINE)


def is_library_file(path: str) -> bool:
    """Whether a file at this path, within the library's folder, is one that is read."""
    name = PurePosixPath(path).name
    return name == INDEX_NAME or (name.endswith(".md") and path != _ENTRY_NAME)


def source_of_path(path: str) -> str:
    """The source that a file of a library is about, by its path in the repository; of any other file its own path."""
    within = path.removeprefix(f"{LIBRARY_FOLDER}/")
    return within.removesuffix(".md") if within != path else path


def is_test_file(path: str) -> bool:
    """Whether the runners of tests take the file for one, by its path in the repository."""
    *folders, name = PurePosixPath(source_of_path(path)).parts or ("",)
    return not _TEST_FOLDERS.isdisjoint(folders) or _TEST_NAME.fullmatch(name) is not None


def is_safe_source(path: str) -> bool:
    """Whether a path that a footer names may lead to a source: down from the root, and into no folder of tools."""
    parts = PurePosixPath(path).parts
    is_named = bool(parts) and path.isprintable() and not path.startswith("/")
    return is_named and not {"..", ".git", LIBRARY_FOLDER} & {*parts}


def item_places(text: str, section: str) -> Iterator[tuple[str, int]]:
    """The items of the list in the first section of this name, each with its place in the text; `(none)` is no item."""
    start, end = next(((start, end) for name, start, end in sections(text) if name == section), (0, 0))
    for item in _ITEM.finditer(text, start, end):
        if not item[1].startswith("("):
            yield item[1].strip(), item.start(1) + len(item[1]) - len(item[1].lstrip())


def sections(body: str) -> Iterator[tuple[str, int, int]]:
    """The name of each section, and its span with its heading."""
    starts = list(_SECTION.finditer(body))
    for at, heading in enumerate(starts):
        end = starts[at + 1].start() if at + 1 < len(starts) else len(body)
        yield heading[1].strip(), heading.start(), end
