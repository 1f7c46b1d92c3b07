"""`--fix`, `--prune`, `--start-here`, `--dry-run`, `--history` and `sweep --watch`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from example_library import Library

from lexibrarian.errors import LibraryError

SOURCES = Path(__file__).parent.parent / "src"


def two_branches(library: Library) -> None:
    """Two posts with one number, each about a file of its own, and design files that refer to theirs."""
    posts = (
        ("ST-001-rounding-is-off", "Rounding is off", "2026-01-02", "src/shop/money.py"),
        ("ST-001-carts-vanish", "Carts vanish", "2026-01-03", "src/shop/cart.py"),
    )
    for name, title, created, file in posts:
        library.write(
            f".lexibrary/stack/{name}.md",
            f"---\nid: ST-001\ntitle: {title}\ntags: [x]\nstatus: open\ncreated: {created}\nauthor: a\nvotes: 0\n"
            f"refs:\n  files: [{file}]\n---\n\n## Problem\n\nSee [[ST-001]].\n\n### Evidence\n\nSeen.\n\n## Answers\n",
        )
        path = f".lexibrary/{file}.md"
        library.edit(path, "<!-- lexibrarian:meta", "## Stack\n\n- [[ST-001]]\n\n<!-- lexibrarian:meta")


def test_lb_109_fix_renumbers_the_younger_post_and_what_refers_to_it(shop: Library) -> None:
    two_branches(shop)
    shop.write("notes.md", "x\n")
    shop.lexictl("update")
    shop.edit(".lexibrary/notes.md.md", "<!-- lexi", "## Stack\n\n- [[ST-001]]\n- [[ST-001-carts-vanish]]\n\n<!-- lexi")
    before = shop.everything()
    assert shop.lexictl("validate", "--check", "duplicate_ids").code == 1
    assert shop.lexictl("validate", "--fix", "--dry-run").code in (0, 1, 2)
    assert shop.everything() == before
    done = shop.lexictl("validate", "--fix", "--check", "duplicate_ids")
    assert done.code == 0
    assert "Renumbered ST-001 to ST-002: .lexibrary/stack/ST-002-carts-vanish.md" in done.out
    assert ".lexibrary/notes.md.md may mean ST-002 by ST-001." in done.err
    assert "See [[ST-001]]" in shop.read(".lexibrary/stack/ST-001-rounding-is-off.md")
    assert "id: ST-002\n" in shop.read(".lexibrary/stack/ST-002-carts-vanish.md")
    assert "See [[ST-002]]" in shop.read(".lexibrary/stack/ST-002-carts-vanish.md")
    assert not shop.has(".lexibrary/stack/ST-001-carts-vanish.md")
    assert "- [[ST-001]]" in shop.design("src/shop/money.py")
    assert "- [[ST-002]]" in shop.design("src/shop/cart.py")
    assert "- [[ST-001]]\n" in shop.design("notes.md")
    assert shop.lexictl("validate", "--fix", "--check", "duplicate_ids", "--json").data["fixed"] == []


def test_a_reference_that_follows_is_no_edit(shop: Library) -> None:
    two_branches(shop)
    (shop.root / ".lexibrary/stack/ST-001-carts-vanish.md").rename(shop.root / "aside")
    shop.edit("src/shop/cart.py", "rounded(1)", "rounded(2)")
    shop.lexictl("update")
    (shop.root / "aside").rename(shop.root / ".lexibrary/stack/ST-001-carts-vanish.md")
    shop.lexictl("validate", "--fix")
    assert "- [[ST-002]]" in shop.design("src/shop/cart.py")
    shop.edit("src/shop/cart.py", "rounded(2)", "rounded(3)")
    assert shop.lexictl("update", "--json").data["levels"]["src/shop/cart.py"] == "content_only"


def test_lb_136_prune_removes_edited_design_files_of_sources_that_are_gone(shop: Library) -> None:
    shop.edit(".lexibrary/src/shop/cart.py.md", "Defines Cart.", "What is to be bought.")
    (shop.root / "src/shop/cart.py").unlink()
    assert shop.lexictl("update", "--json").data["kept"] == ["src/shop/cart.py"]
    assert shop.lexictl("validate", "--check", "file_existence").code == 1
    assert shop.lexictl("update", "--prune", "--dry-run", "--json").data["removed"] == ["src/shop/cart.py"]
    assert shop.has(".lexibrary/src/shop/cart.py.md")
    assert shop.lexictl("update", "--prune", "--json").data["removed"] == ["src/shop/cart.py"]
    assert not shop.has(".lexibrary/src/shop/cart.py.md")


def test_lb_021_the_entry_file_is_made_anew_unless_somebody_wrote_in_it(shop: Library) -> None:
    path = ".lexibrary/START_HERE.md"
    whole = shop.read(path)
    (shop.root / path).unlink()
    assert "Would update" in shop.lexictl("update", "--start-here", "--dry-run").out
    assert not shop.has(path)
    assert shop.lexictl("update", "--start-here").out == f"Updated {path}.\n"
    assert shop.read(path) == whole
    assert "is up to date" in shop.lexictl("update", "--start-here").out
    shop.edit(path, "## Project Ontology", "Mine.\n\n## Project Ontology")
    mine = shop.read(path)
    assert "was edited and is kept" in shop.lexictl("update", "--start-here").out
    assert shop.read(path) == mine
    refused = shop.lexictl("update", "--start-here", "src")
    assert refused.code == 1
    assert "mutually exclusive" in refused.err


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("lexi index -r .", ".lexibrary/src/shop/.aindex"),
        ("lexi describe src Other", ".lexibrary/src/.aindex"),
        ("lexi concept new Money", ".lexibrary/concepts/Money.md"),
        ("lexi concept link Cash src/shop/money.py", ".lexibrary/src/shop/money.py.md"),
        ("lexi stack post --title T --tag x", ".lexibrary/stack/ST-002-t.md"),
        ("lexi stack answer 1 --body B", ".lexibrary/stack/ST-001-old.md"),
        ("lexi stack vote 1 up", ".lexibrary/stack/ST-001-old.md"),
        ("lexi stack mark-outdated 1", ".lexibrary/stack/ST-001-old.md"),
        ("lexi iwh write src Text", ".lexibrary/src/.iwh"),
        ("lexictl setup --update --env cursor", ".cursor/rules/lexibrarian.mdc"),
        ("lexictl setup --hooks", ".git/hooks/post-commit"),
    ],
)
def test_lb_094_a_dry_run_names_what_it_would_write(shop: Library, command: str, named: str) -> None:
    shop.git("init", "-q")
    shop.lexi("stack", "post", "--title", "Old", "--tag", "x")
    shop.lexi("concept", "new", "Cash")
    shop.write("src/shop/later.txt", "x\n")
    before = {path: path.read_bytes() for path in shop.root.rglob("*") if path.is_file()}
    name, *arguments = command.split()
    run = shop.lexi if name == "lexi" else shop.lexictl
    done = run(*arguments, "--dry-run")
    assert done.code == 0, done.err
    assert f"Would write {named}\n" in done.out
    data = run(*arguments, "--dry-run", "--json").data
    assert data["dry_run"] is True
    assert named in data["would_write"]
    assert {path: path.read_bytes() for path in shop.root.rglob("*") if path.is_file()} == before
    assert run(*arguments).code == 0
    assert shop.has(named)


def test_a_dry_run_of_init_and_of_a_sweep(empty: Library) -> None:
    empty.write("a.py", "x = 1\n")
    assert "Would write .lexibrary/config.yaml" in empty.lexictl("init", "--defaults", "--dry-run").out
    assert not empty.has(".lexibrary")
    empty.lexictl("init", "--defaults")
    before = empty.everything()
    assert empty.lexictl("sweep", "--dry-run", "--json").data["levels"]["a.py"] == "new"
    assert empty.everything() == before


def test_lookup_shows_the_history_that_git_knows(shop: Library) -> None:
    assert "No commit holds this file." in shop.lexi("lookup", "src/shop/money.py", "--history").out
    shop.git("init", "-q")
    shop.git("add", ".")
    shop.git("commit", "-q", "-m", "First")
    shop.git("mv", "src/shop/money.py", "src/shop/amounts.py")
    shop.git("commit", "-q", "-m", "Rename")
    shop.write("src/shop/amounts.py", shop.read("src/shop/amounts.py") + "\n\nCENT = 1\n")
    shop.git("commit", "-qam", "A constant")
    shop.lexictl("update")
    before = shop.everything()
    past = shop.lexi("lookup", "src/shop/amounts.py", "--history", "--json").data["history"]
    assert (past["commits"], past["added"], past["removed"], past["authors"]) == (3, 7, 0, 1)
    assert past["subject"] == "A constant"
    assert "3 commits by 1 author, 7 lines added" in shop.lexi("lookup", "src/shop/amounts.py", "--history").out
    assert "## History" not in shop.lexi("lookup", "src/shop/amounts.py").out
    assert shop.everything() == before


def test_lb_101_137_a_watching_sweep_updates_until_it_is_stopped(shop: Library) -> None:
    shop.write(".lexibrary/config.yaml", "daemon:\n  sweep_interval_seconds: 1\n")
    process = subprocess.Popen(
        [sys.executable, "-c", "from lexibrarian.cli.lexictl import main; main()", "sweep", "--watch"],
        cwd=shop.root,
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        wait_for(lambda: shop.has(".lexibrary/.swept"))
        shop.write("later.md", "# Later\n")
        wait_for(lambda: shop.has(".lexibrary/later.md.md"))
        shop.write(".lexibrary/config.yaml", "daemon:\n  sweep_interval_seconds: 1\nscope_root: 7\n")
        wait_for(lambda: "sweep failed" in shop.read(".lexibrarian.log"))
    finally:
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    assert "Stopped after" in out


def test_a_watching_sweep_prints_nothing_that_steers_the_terminal(
    shop: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    def swept(_: object, __: object, said: Callable[[None, LibraryError | None], None]) -> int:
        said(None, LibraryError("caf\a", code="test"))
        said(None, None)
        return 2

    monkeypatch.setattr("lexibrarian.sweep.sweep_forever", swept)
    assert shop.lexictl("sweep", "--watch").out == "caf\\x07\nNothing changed.\nStopped after 2 sweeps.\n"
    assert shop.lexictl("sweep", "--watch", "--json").data == {"sweeps": 2}


def wait_for(true: object) -> None:
    """Wait until a condition holds, for half a minute at most."""
    for _ in range(600):
        if true():  # type: ignore[operator]
            return
        time.sleep(0.05)
    raise AssertionError("It did not happen.")
