"""Writing: whole files, one writer at a time, and nothing where nothing changed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from example_library import Library

from lexibrarian import store
from lexibrarian.errors import LibraryError
from lexibrarian.project import Project


def test_lb_095_a_write_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.md"
    assert store.write_text(path, "old")
    before = path.stat().st_ino

    def refuse(source: str, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(LibraryError, match="No space left"):
        store.write_text(path, "new")
    assert path.read_text() == "old"
    assert path.stat().st_ino == before
    assert [each.name for each in tmp_path.iterdir()] == ["a.md"]


def test_the_same_text_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    store.write_text(path, "text")
    before = path.stat().st_ino
    assert not store.write_text(path, "text")
    assert path.stat().st_ino == before


def test_files_are_as_readable_as_those_of_the_code(tmp_path: Path) -> None:
    old = os.umask(0o022)
    try:
        store.write_text(tmp_path / "a.md", "text")
    finally:
        os.umask(old)
    assert (tmp_path / "a.md").stat().st_mode & 0o777 == 0o644


def test_only_one_of_two_makes_a_file(tmp_path: Path) -> None:
    assert store.create_text(tmp_path / "a.md", "one")
    assert not store.create_text(tmp_path / "a.md", "two")
    assert (tmp_path / "a.md").read_text() == "one"
    assert len(list(tmp_path.iterdir())) == 1


WAITING = """
import sys
from pathlib import Path
from lexibrarian.project import Project
from lexibrarian.store import {lock}
with {call}:
    Path(sys.argv[2]).write_text("inside")
"""


@pytest.mark.parametrize(
    ("lock", "call"),
    [
        ("upkeep_lock", "upkeep_lock(Project(Path(sys.argv[1])))"),
        ("directory_lock", "directory_lock(Project(Path(sys.argv[1])), 'src')"),
    ],
)
def test_lb_098_a_second_process_waits_for_the_lock(library: Library, lock: str, call: str) -> None:
    mark = library.root / "mark"
    program = [sys.executable, "-c", WAITING.format(lock=lock, call=call), str(library.root), str(mark)]
    project = Project(library.root)
    held = store.upkeep_lock(project) if lock == "upkeep_lock" else store.directory_lock(project, "src")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with held:
        process = subprocess.Popen(program, env=environment)
        time.sleep(0.5)
        assert not mark.exists()
        assert process.poll() is None
    assert process.wait(timeout=30) == 0
    assert mark.read_text() == "inside"


def test_a_library_that_cannot_be_written_says_so(library: Library) -> None:
    library.write("a.py", "x = 1\n")
    library.write(".lexibrary/.locks", b"")  # A file where a directory is needed: refused for root as well.
    done = library.lexictl("update")
    assert done.code == 1
    assert "cannot be written" in done.err
