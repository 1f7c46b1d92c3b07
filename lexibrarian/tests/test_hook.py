"""The hook: git runs it, it updates what a commit changed, and it leaves other hooks alone."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest
from example_library import Library

SOURCES = Path(__file__).parent.parent / "src"


@pytest.fixture
def repository(library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    """A library in a repository, whose hook finds `lexictl` on the PATH."""
    program = tmp_path / "bin" / "lexictl"
    program.parent.mkdir()
    code = f"import sys\nsys.path[:0] = {sys.path!r}\nfrom lexibrarian.cli.lexictl import main\nmain()\n"
    program.write_text(f"#!{sys.executable}\n{code}")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    library.git("init", "-q", "-b", "main")
    return library


def commit(library: Library, message: str = "change") -> float:
    """Commit everything but the library; returns how long that took, in seconds."""
    library.git("add", "-A", "--", ".", ":!.lexibrary")
    begun = time.monotonic()
    library.git("commit", "-qm", message)
    return time.monotonic() - begun


def eventually(library: Library, *paths: str, there: bool = True) -> None:
    for _ in range(300):
        if all(library.has(f".lexibrary/{path}") is there for path in paths):
            return
        time.sleep(0.1)
    log = library.read(".lexibrarian.log") if library.has(".lexibrarian.log") else "no log"
    raise AssertionError(f"{paths}: {log}")


def install(library: Library) -> Path:
    done = library.lexictl("setup", "--hooks", "--json")
    assert done.code == 0, done.out
    assert [hook["written"] for hook in done.data["hooks"]] == [True, True]
    return Path(done.data["hooks"][0]["path"])


def test_lb_102_132_144_a_commit_updates_what_it_changed(repository: Library) -> None:
    install(repository)
    names = ["a b.py", "é ü.py", "deep/in side/c.py", "-dash.py", "quo'te\".py"]
    for name in names:
        repository.write(name, '"""Words."""\n')
    commit(repository, "root commit")
    eventually(repository, *(f"{name}.md" for name in names))
    (repository.root / "a b.py").rename(repository.root / "b c.py")
    (repository.root / "-dash.py").unlink()
    commit(repository)
    eventually(repository, "b c.py.md")
    eventually(repository, "a b.py.md", "-dash.py.md", there=False)
    # Nothing commits by itself.
    assert repository.git("rev-list", "--count", "HEAD") == "2\n"


def test_a_merge_updates_what_it_brought_in(repository: Library) -> None:
    repository.write("base.py", "x = 1\n")
    commit(repository)
    repository.git("checkout", "-qb", "side")
    repository.write("side.py", "y = 1\n")
    commit(repository)
    repository.git("checkout", "-q", "main")
    repository.write("main.py", "z = 1\n")
    commit(repository)
    install(repository)
    repository.git("merge", "-q", "--no-edit", "--no-ff", "side")
    eventually(repository, "side.py.md")
    assert not repository.has(".lexibrary/main.py.md")
    repository.git("checkout", "-qb", "ahead")
    repository.write("fast.py", "y = 1\n")
    repository.git("add", "fast.py")
    repository.git("-c", "core.hooksPath=/nowhere", "commit", "-qm", "without a hook")
    repository.git("checkout", "-q", "main")
    repository.git("merge", "-q", "--ff-only", "ahead")
    eventually(repository, "fast.py.md")


@pytest.mark.parametrize("shebang", ["#!/bin/sh", "#!/usr/bin/env bash", f"#!{sys.executable}"])
def test_an_older_hook_still_runs(repository: Library, shebang: str) -> None:
    mark = repository.root.parent / "mark"
    program = f"open({str(mark)!r}, 'w').write('ran')" if "python" in shebang else f"printf ran > '{mark}'\nexit 0"
    hook = repository.write(".git/hooks/post-commit", f"{shebang}\n{program}\n")
    hook.chmod(0o755)
    assert install(repository) == hook
    repository.write("a.py", "x = 1\n")
    commit(repository)
    eventually(repository, "a.py.md")
    assert mark.read_text() == "ran"
    before = hook.read_bytes()
    done = repository.lexictl("setup", "--hooks")
    assert "already installed" in done.out
    assert hook.read_bytes() == before


def test_hooks_elsewhere_and_work_trees(repository: Library) -> None:
    repository.git("config", "core.hooksPath", "our hooks")
    assert install(repository) == repository.root / "our hooks/post-commit"
    repository.write("a.py", "x = 1\n")
    commit(repository)
    eventually(repository, "a.py.md")
    repository.git("add", "-f", ".lexibrary/config.yaml")
    repository.git("commit", "-qm", "library")
    repository.git("worktree", "add", "-q", "../tree")
    tree = Library(repository.root.parent / "tree", repository.patch)
    tree.write("our hooks/post-commit", repository.read("our hooks/post-commit")).chmod(0o755)
    tree.write("b.py", "x = 1\n")
    commit(tree)
    eventually(tree, "b.py.md")
    assert not repository.has(".lexibrary/b.py.md")


def test_a_library_below_the_top_of_its_repository(repository: Library) -> None:
    inner = Library(repository.root / "in ner", repository.patch)
    inner.root.mkdir()
    (repository.root / ".lexibrary").rename(inner.root / ".lexibrary")
    install(inner)
    inner.write("a.py", "x = 1\n")
    repository.write("outside.py", "x = 1\n")
    commit(inner)
    eventually(inner, "a.py.md")
    assert not inner.has(".lexibrary/outside.py.md")


def test_a_commit_does_not_wait_for_the_update(repository: Library, tmp_path: Path) -> None:
    install(repository)
    slow = tmp_path / "bin" / "lexictl"
    slow.write_text("#!/bin/sh\nsleep 20\n")
    repository.write("a.py", "x = 1\n")
    assert commit(repository) < 10


def test_setup_without_git_and_without_options(library: Library) -> None:
    done = library.lexictl("setup", "--hooks")
    assert done.code == 1
    assert "No .git" in done.err
    done = library.lexictl("setup")
    assert done.code == 0
    assert "Usage: lexictl setup" in done.out
