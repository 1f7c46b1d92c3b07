"""What is in view is what git lists: tracked files, and untracked ones that nothing ignores."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from example_library import Library
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lexibrarian.config import Config, Ignore
from lexibrarian.crawl import crawl
from lexibrarian.project import Project

FILES = [
    "a.txt",
    "b.log",
    "build/out.o",
    "build/keep/x.txt",
    "keep/a.txt",
    "src/a.py",
    "src/build/a.py",
    "src/deep/er/a.txt",
    "src/deep/er/b.log",
    "doc/frotz/x",
    "foo/bar",
    "sp ace.txt",
    "#hash",
    "!bang",
    "[x]",
    "back\\slash",
    "é.txt",
]


def seen(root: Path) -> set[str]:
    found = crawl(Project(root), Config())
    return {path for directory in found.directories.values() for path in map(directory.join, directory.files)}


def listed(library: Library) -> set[str]:
    names = library.git("ls-files", "-z", "-co", "--exclude-standard").split("\0")
    return {name for name in names if name and (library.root / name).exists() and not name.endswith("/")}


def plant(library: Library, ignores: dict[str, str]) -> None:
    for path in FILES:
        library.write(path, "x\n")
    for where, text in ignores.items():
        library.write(where, text)


@pytest.mark.parametrize(
    "text",
    [
        "*.log\n!b.log\n",
        "build/\n!build/keep/x.txt\n",
        "build/*\n!build/keep/\n",
        "*.txt\n!keep\n",
        "/*.txt\n",
        "src/**/a.py\n**/er\n",
        "src/**\n!src/a.py\n",
        "**/build\n",
        "doc/frotz/\n",
        "frotz/\n",
        "foo/\n!foo/bar\n",
        "foo/*\n!foo/bar\n",
        "sp\\ ace.txt\n",
        "\\#hash\n\\!bang\n",
        "#hash\n!bang\n",
        "\\[x\\]\n[ab].txt\n[!a].log\n",
        "[[:alpha:]].txt\n",
        "[a-\n[]\n",
        "back\\\\slash\n",
        "é*\n",
        "a.txt   \nb.log\\ \n",
        "*\n!*/\n!*.py\n",
        "?.txt\n",
        "a.txt\r\nb.log\r\n",
        "/src/build\nsrc/deep/er\n",
        "***\n!/a.txt\n",
        "src/*/er\n",
        "src/\n",
        "/\n//\n\n   \n",
    ],
)
def test_lb_011_the_crawl_agrees_with_git(empty: Library, text: str) -> None:
    plant(empty, {".gitignore": text})
    empty.git("init", "-q")
    assert seen(empty.root) == listed(empty)


def test_inner_ignore_files_count_for_their_directory(empty: Library) -> None:
    plant(empty, {".gitignore": "*.log\n", "src/.gitignore": "!*.log\n/a.py\nbuild\n", "src/deep/.gitignore": "er/\n"})
    empty.git("init", "-q")
    assert seen(empty.root) == listed(empty)
    assert "src/build/a.py" not in seen(empty.root)


def test_the_excludes_of_the_clone_and_of_the_user_count(empty: Library, own_home: Path) -> None:
    plant(empty, {})
    empty.git("init", "-q")
    empty.write(".git/info/exclude", "*.log\n")
    (own_home / ".config/git").mkdir(parents=True)
    (own_home / ".config/git/ignore").write_text("*.o\n")
    assert seen(empty.root) == listed(empty)
    assert not {"b.log", "build/out.o"} & seen(empty.root)
    mine = own_home / "mine"
    mine.write_text("*.py\n")
    empty.git("config", "core.excludesFile", str(mine))
    assert seen(empty.root) == listed(empty)
    assert "src/a.py" not in seen(empty.root)


def test_tracked_files_are_seen_although_they_are_ignored(empty: Library) -> None:
    plant(empty, {".gitignore": "build/\n"})
    empty.git("init", "-q")
    empty.git("add", "-f", "build/keep/x.txt")
    assert seen(empty.root) == listed(empty)
    assert "build/keep/x.txt" in seen(empty.root)
    assert "build/out.o" not in seen(empty.root)


def test_links_and_repositories_inside_are_not_entered(empty: Library) -> None:
    plant(empty, {"vendor/lib/a.py": "x"})
    empty.git("init", "-q", "vendor/lib")
    (empty.root / "loop").symlink_to(".")
    empty.git("init", "-q")
    found = crawl(Project(empty.root), Config())
    assert "vendor/lib" not in found.directories
    assert found.directories["vendor"].own_repositories == {"lib"}
    assert found.directories[""].links == {"loop"}
    assert "loop" not in found.sources()


def test_lb_123_it_is_the_same_without_git(empty: Library) -> None:
    plant(empty, {".gitignore": "*.log\nbuild/\n", "src/.gitignore": "/a.py\n"})
    without = seen(empty.root)
    empty.git("init", "-q")
    assert without == listed(empty) == seen(empty.root)


def test_lexignore_and_the_configuration_only_take_away(empty: Library) -> None:
    plant(empty, {".gitignore": "*.log\n", ".lexignore": "!b.log\nbuild/\n"})
    found = crawl(Project(empty.root), Config(ignore=Ignore(["src/deep"])))
    assert "b.log" not in found.directories[""].files
    assert {"build", "src/deep"} & set(found.directories) == set()


def test_a_directory_of_a_crawl_is_seen_under_the_rules_above_it(empty: Library) -> None:
    plant(empty, {".gitignore": "*.log\nbuild/\n"})
    assert list(crawl(Project(empty.root), Config(), below="src", deep=False).directories) == ["src"]
    assert crawl(Project(empty.root), Config(), below="src/deep/er").directories["src/deep/er"].files == ["a.txt"]
    assert crawl(Project(empty.root), Config(), below="build/keep").directories == {}


LINES = st.lists(
    st.builds(
        lambda negated, anchored, parts, closed: f"{negated}{anchored}{'/'.join(parts)}{closed}",
        st.sampled_from(["", "", "!"]),
        st.sampled_from(["", "/", "**/"]),
        st.lists(
            st.sampled_from(["a*", "*", "**", "src", "build", "keep", "?.txt", "[a-b].*", "deep", "*.py", "er", "*e*"]),
            min_size=1,
            max_size=3,
        ),
        st.sampled_from(["", "", "/", "/**", "/*"]),
    ),
    max_size=5,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(outer=LINES, inner=LINES)
def test_the_crawl_agrees_with_git_on_any_patterns(empty: Library, outer: list[str], inner: list[str]) -> None:
    if not (empty.root / ".git").exists():
        plant(empty, {})
        empty.git("init", "-q")
    empty.write(".gitignore", "\n".join(outer) + "\n")
    empty.write("src/.gitignore", "\n".join(inner) + "\n")
    assert seen(empty.root) == listed(empty)


def test_a_work_tree_beside_its_repository_is_read_with_its_excludes(empty: Library) -> None:
    plant(empty, {})
    empty.git("init", "-q")
    empty.git("add", ".")
    empty.git("commit", "-qm", "first")
    empty.write(".git/info/exclude", "*.new\n")
    empty.git("worktree", "add", "-q", "../tree")
    tree = Library(empty.root.parent / "tree", empty.patch)
    tree.write("src/x.new", "x")
    assert seen(tree.root) == listed(tree)
    assert "src/x.new" not in seen(tree.root)
    shutil.rmtree(tree.root)


def test_unreadable_directories_are_passed_over(empty: Library) -> None:
    plant(empty, {})
    (empty.root / "src").chmod(0)
    try:
        found = seen(empty.root)
    finally:
        (empty.root / "src").chmod(0o755)
    assert "a.txt" in found
    # Root reads everything.
    assert os.geteuid() == 0 or "src/a.py" not in found
