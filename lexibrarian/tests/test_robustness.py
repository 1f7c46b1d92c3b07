"""What goes wrong around the program: it is killed, runs several times at once, may not write, meets odd files."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from example_library import Library

from lexibrarian import file_cache, sources
from lexibrarian.artefacts.markdown import split_footer
from lexibrarian.store import TEMPORARY_SUFFIX

ROOT = Path(__file__).parent.parent
PROGRAM = "import sys; sys.argv[0] = '{name}'; from lexibrarian.cli.{name} import main; main()"


def start(library: Library, name: str, *arguments: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    program = [sys.executable, "-c", PROGRAM.format(name=name), *arguments]
    return subprocess.Popen(program, cwd=library.root, env=environment, stdout=subprocess.DEVNULL)


def written(library: Library) -> dict[str, str]:
    """The files of the library without the times in their footers."""
    everything = library.everything().items()
    return {
        path: re.sub(r"generated[:=][ \"]*[-\w:]+", "", content.decode())
        for path, content in everything
        if not path.endswith(TEMPORARY_SUFFIX)
    }


def change_everything(library: Library, number: int) -> None:
    library.write("src/shop/money.py", f"def rounded(amount: int, digits: int = {number}) -> int: ...\n" * 2)
    library.write("src/shop/cart.py", f'"""Cart {number}."""\n\nimport shop.new{number}\n\n\nclass Cart: ...\n')
    library.write(f"src/shop/new{number}.py", "class New: ...\n")
    (library.root / f"src/shop/new{number - 1}.py").unlink(missing_ok=True)


def update_killed_after(library: Library, steps: int) -> int:
    """Update in a process that ends without a word at one of the steps at which it could be killed; its exit code."""
    process = os.fork()
    if process:
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    left = iter(range(steps))

    def counted(original: Callable[..., Any]) -> Callable[..., Any]:
        def step(*arguments: Any, **named: Any) -> Any:
            if next(left, None) is None:
                os._exit(137)
            return original(*arguments, **named)

        return step

    for name in ("open", "replace", "utime", "unlink", "rmdir", "mkdir"):
        setattr(os, name, counted(getattr(os, name)))
    try:
        os._exit(library.lexictl("update").code)
    except BaseException:
        os._exit(99)


def test_killed_at_fifty_moments_every_file_is_whole_and_the_next_update_repairs(shop: Library) -> None:
    choose = random.Random(1)
    codes = []
    for number in range(50):
        change_everything(shop, number)
        codes.append(update_killed_after(shop, choose.randrange(25)))
        for path, text in written(shop).items():
            if path.endswith((".py.md", ".aindex")):
                assert split_footer(text).meta, path
        assert shop.lexictl("update").code == 0
        if number % 10 == 9:
            repaired = written(shop)
            for derived in (*(shop.root / ".lexibrary/src").rglob("*.md"), shop.root / ".lexibrary/index.db"):
                derived.unlink()
            assert shop.lexictl("update").code == 0
            assert written(shop) == repaired
    assert set(codes) <= {0, 137}
    assert codes.count(137) > 25


def test_what_a_killed_process_left_behind_is_cleared_away(shop: Library) -> None:
    old, young = (shop.write(f".lexibrary/src/.1-{name}{TEMPORARY_SUFFIX}", "half") for name in ("old", "young"))
    os.utime(old, (1, 1))
    assert shop.lexictl("update").code == 0
    # A young one may be what another process is about to put in place.
    assert [old.exists(), young.exists()] == [False, True]


def test_everything_at_once_loses_nothing(shop: Library) -> None:
    for number in range(20):
        shop.write(f"src/shop/new{number}.py", f'"""File {number}."""\n')
    running = [start(shop, "lexi", "stack", "post", "--title", "The same title", "--tag", "x") for _ in range(10)]
    running += [start(shop, "lexictl", "update") for _ in range(2)]
    running.append(start(shop, "lexi", "describe", "src/shop", "Said by an agent."))
    assert [process.wait(timeout=120) for process in running] == [0] * 13
    names = sorted(path.name for path in (shop.root / ".lexibrary/stack").glob("*.md"))
    assert names == [f"ST-{number:03d}-the-same-title.md" for number in range(1, 11)]
    index = shop.read(".lexibrary/src/shop/.aindex")
    assert "Said by an agent." in index
    assert all(f"| `new{number}.py` | file | File {number}. |" in index for number in range(20))
    before = shop.everything()
    assert shop.lexictl("update").code == 0
    # The row of the directory above may follow the new words.
    assert {path for path, content in shop.everything().items() if before.get(path) != content} <= {"src/.aindex"}


def test_two_branches_meet(shop: Library) -> None:
    shop.git("init", "-qb", "main")
    shop.git("add", "-A")
    shop.git("commit", "-qm", "first")
    for branch in ("one", "two"):
        shop.git("checkout", "-qb", branch, "main")
        shop.write(f"src/shop/{branch}.py", f'"""Module {branch}."""\n\nfrom shop.money import rounded\n')
        shop.lexi("stack", "post", "--title", f"Problem {branch}", "--tag", "x", "--problem", "P.", "--evidence", "E.")
        assert shop.lexictl("update").code == 0
        shop.git("add", "-A")
        shop.git("commit", "-qm", branch)
    shop.git("checkout", "-q", "one")
    # Both changed the table of the same directory: the conflict stays in the file.
    subprocess.run(["git", "merge", "-q", "two"], cwd=shop.root, capture_output=True, check=False)
    assert "<<<<<<<" in shop.read(".lexibrary/src/shop/.aindex")
    assert shop.lexictl("update").code == 0
    assert shop.lexictl("validate", "--fix").code == 0
    done = shop.lexictl("validate")
    assert done.out == "No validation issues found.\n"
    index = shop.read(".lexibrary/src/shop/.aindex")
    assert "<<<<<<<" not in index
    assert "`one.py`" in index
    assert "`two.py`" in index
    posts = sorted(path.name for path in (shop.root / ".lexibrary/stack").glob("*.md"))
    assert posts == ["ST-001-problem-one.md", "ST-002-problem-two.md"] or posts == [
        "ST-001-problem-two.md",
        "ST-002-problem-one.md",
    ]
    before = shop.everything()
    assert shop.lexictl("update").code == 0
    assert shop.everything() == before


def test_odd_files_end_no_update(library: Library) -> None:
    library.write("crlf.py", b'"""Windows."""\r\nx = 1\r\n')
    library.write("latin.py", "# caf\xe9\n".encode("latin-1"))
    library.write("wide.py", '"""Wide."""\n'.encode("utf-16"))
    library.write("nul.py", b"x = 1\0\n")
    with (library.root / "huge.py").open("wb") as file:
        file.truncate(50 * 1024 * 1024)
    (library.root / "round").symlink_to("there")
    (library.root / "there").symlink_to("round")
    library.write("a/b.py", "x = 1\n")
    (library.root / "a/up").symlink_to("..")
    os.mkfifo(library.root / "pipe.py")
    (library.root / "gone.py").symlink_to("nowhere.py")
    for length in (250, 253):
        library.write("n" * (length - 3) + ".py", "x = 1\n")
    begun = time.monotonic()
    done = library.lexictl("update", "--json")
    assert done.code == 0
    assert time.monotonic() - begun < 60, "nobody writes into the pipe, ever"
    assert done.data["without_design_file"] == {
        "huge.py": "large file",
        "latin.py": "binary file",
        "nul.py": "binary file",
        "n" * 250 + ".py": "name that the library cannot mirror",
    }
    assert {"crlf.py", "wide.py", "a/b.py", "n" * 247 + ".py"} <= set(done.data["levels"])
    assert not {"pipe.py", "a/up/a/b.py"} & set(done.data["levels"])
    before = library.everything()
    assert library.lexictl("update").code == 0
    assert library.lexictl("validate", "--severity", "error").code == 0
    assert library.everything() == before


@pytest.mark.parametrize("command", ["update", "validate"])
def test_a_source_that_cannot_be_read_is_passed_over(
    shop: Library, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = sources.read_bytes

    def refused(path: str | Path, most: int | None = None) -> bytes:
        if str(path).endswith("src/shop/money.py"):
            raise PermissionError(13, "Permission denied")
        return original(path, most)

    shop.edit("src/shop/money.py", "amount", "sum")
    # The tests may run as root, who reads everything.
    for module in (sources, file_cache):
        monkeypatch.setattr(module, "read_bytes", refused)
    before = shop.design("src/shop/money.py")
    assert shop.lexictl(command).code == 0
    assert shop.design("src/shop/money.py") == before


def test_a_library_that_may_only_be_read_answers(shop: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    before = shop.everything()
    opened, opened_by_number = Path.open, os.open

    def refused(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    def refused_for_writing(path: Path, mode: str = "r", *arguments: Any, **named: Any) -> Any:
        return refused() if set(mode) & set("wax+") else opened(path, mode, *arguments, **named)

    def refused_with_flags(path: Any, flags: int, *arguments: Any, **named: Any) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            refused()
        return opened_by_number(path, flags, *arguments, **named)

    (shop.root / ".lexibrary/.config-checked").unlink(missing_ok=True)
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refused_with_flags)
        for name in ("mkdir", "replace", "link", "unlink", "utime"):
            patch.setattr(os, name, refused)
        patch.setattr(Path, "open", refused_for_writing)
        assert "rounded" in shop.lexi("lookup", "src/shop/money.py").out
        assert "money.py" in shop.lexi("search", "amounts", cwd="src").out
        assert shop.lexictl("validate").code == 0
        assert "tracked" in shop.lexictl("status").out
        for refusal in (shop.lexi("index", "."), shop.lexi("describe", ".", "x")):
            assert refusal.code == 1
            assert "cannot be written" in refusal.err
    assert shop.everything() == before


def test_conflicts_of_two_branches_in_one_design_file_heal(shop: Library) -> None:
    shop.git("init", "-qb", "main")
    shop.edit(".lexibrary/src/shop/money.py.md", "## Tests", "## Pitfalls\n\nMind the cents.\n\n## Tests")
    shop.lexictl("update")
    shop.git("add", "-A")
    shop.git("commit", "-qm", "first")
    for branch in ("one", "two"):
        shop.git("checkout", "-qb", branch, "main")
        shop.write("src/shop/money.py", f'"""Amounts of money. In cents."""\n\ndef {branch}() -> int: ...\n')
        # An update of the first time after an edit renews the footer only.
        shop.lexictl("update")
        shop.edit("src/shop/money.py", "int", "str")
        shop.lexictl("update")
        shop.git("add", "-A")
        shop.git("commit", "-qm", branch)
    subprocess.run(["git", "merge", "-q", "one"], cwd=shop.root, capture_output=True, check=False)
    assert "<<<<<<<" in shop.design("src/shop/money.py")
    assert shop.lexictl("update").code == 0
    # While the source itself is in conflict, nothing is written about it.
    assert "<<<<<<<" in shop.design("src/shop/money.py")
    shop.write("src/shop/money.py", '"""Amounts of money. In cents."""\n\ndef both() -> str: ...\n')
    assert shop.lexictl("update").code == 0
    design = shop.design("src/shop/money.py")
    assert "<<<<<<<" not in design
    assert "def both() -> str" in design
    assert "def one" not in design
    assert "Mind the cents." in design
    assert shop.lexictl("validate").out == "No validation issues found.\n"


def test_conflicts_in_what_people_write_are_an_error(shop: Library) -> None:
    conflict = "<<<<<<< one\n- Mine\n=======\n- Yours\n>>>>>>> two\n"
    shop.edit(".lexibrary/src/shop/.aindex", "(none)\n", conflict)
    assert shop.lexictl("update").code == 0
    assert conflict in shop.read(".lexibrary/src/shop/.aindex")
    done = shop.lexictl("validate")
    assert done.code == 1
    assert "conflict_markers" in done.out
