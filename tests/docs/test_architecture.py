"""The files and modules that the documentation names exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(settings.BASE_DIR)
DOCUMENTS = ["README.md", "CONTRIBUTING.md", *(path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/*.md"))]
# A path may be given from the package that its section is about.
BASES = ("", "querying", "querying/question", "knowledge", "marketplace", "agents", "contracts")
_FOLDER = r"(?:[\w-]+/)+"
_FILE = re.compile(rf"`((?:{_FOLDER})?[\w-]+\.(?:py|js|sql|css|md))`")
_FOLDER_OR_FILE = re.compile(rf"`({_FOLDER}(?:[\w-]+\.(?:py|js|md|sql|css))?|[\w]+\.py)`")
_DOTTED = re.compile(r"`([a-z_]\w*(?:\.\w+)+)`")
# Examples, files of other repositories, keys of answers and ids of checks, which look like files and modules of ours.
NOT_OURS = {
    "CONTRIBUTING.md": {"utils.py"},
    "docs/api.md": {"lexic.fields", "lexic.ignored"},
    "docs/authoring.md": {"hive_inspection-v2_FINAL.md"},
    "docs/library.md": {"AGENTS.md", "CLAUDE.md"},
    "docs/operations.md": {"lexic.E007"},
}


def named(document: str, sign: re.Pattern[str]) -> set[str]:
    return set(sign.findall((ROOT / document).read_text(encoding="utf-8"))) - NOT_OURS.get(document, set())


def unknown(paths: set[str]) -> set[str]:
    return {path for path in paths if not any((ROOT / base / path).exists() for base in BASES)}


def is_module(dotted: str) -> bool:
    """Whether the dotted name, or what is left of it without the name of a class or a function, is a module of ours."""
    parts = dotted.split(".")
    stems = ["/".join(parts[:length]) for length in range(len(parts), 1, -1)]
    return any(
        (ROOT / base / stem).is_dir() or (ROOT / base / f"{stem}.py").is_file() for base in BASES for stem in stems
    )


@pytest.mark.parametrize("document", DOCUMENTS)
def test_files_that_a_document_names_exist(document: str) -> None:
    assert unknown(named(document, _FILE)) == set()


def test_folders_that_the_architecture_names_exist() -> None:
    paths = named("docs/architecture.md", _FOLDER_OR_FILE)
    assert len(paths) > 100
    assert unknown(paths) == set()


@pytest.mark.parametrize("document", DOCUMENTS)
def test_modules_that_a_document_names_with_dots_exist(document: str) -> None:
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    dotted = {name for name in named(document, _DOTTED) if name.partition(".")[0] in packages}
    assert {name for name in dotted if not is_module(name)} == set()


def test_modules_of_the_way_of_a_query_exist() -> None:
    table = (ROOT / "docs/architecture.md").read_text(encoding="utf-8").partition("## The way of a query")[2]
    rows = re.findall(r"^\| [\w ]+ \| (.+?) \| ", table.partition("### Guarded streaming")[0], re.MULTILINE)
    modules = {name for row in rows[1:] for name in _DOTTED.findall(row)}
    assert len(modules) > 15
    assert {name for name in modules if not is_module(name)} == set()
