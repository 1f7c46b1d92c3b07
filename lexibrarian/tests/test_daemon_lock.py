"""`lexictl daemon`: off by default, in the foreground, one a project."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from example_library import Library

SOURCES = Path(__file__).parent.parent / "src"
ON = "daemon:\n  watchdog_enabled: true\n  git_suppression_seconds: 1\n"


def started(library: Library) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", "from lexibrarian.cli.lexictl import main; main()", "daemon", "start"],
        cwd=library.root,
        env={**os.environ, "PYTHONPATH": str(SOURCES), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def wait_for(true: Callable[[], bool]) -> None:
    """Wait until a condition holds, for half a minute at most."""
    for _ in range(600):
        if true():
            return
        time.sleep(0.05)
    raise AssertionError("It did not happen.")


@pytest.fixture
def watched(shop: Library) -> Iterator[Library]:
    """The shop in git, with a daemon that watches it."""
    shop.write(".lexibrary/config.yaml", ON)
    shop.git("init", "-q", "-b", "main")
    shop.git("add", ".")
    shop.git("commit", "-qm", "First")
    process = started(shop)
    assert process.stdout is not None
    assert "Watching" in process.stdout.readline()
    yield shop
    if process.poll() is None:
        process.terminate()
    process.communicate(timeout=30)


def test_lb_103_the_daemon_is_off_by_default(shop: Library) -> None:
    done = shop.lexictl("daemon", "start")
    assert done.code == 1
    assert "daemon.watchdog_enabled" in done.err
    assert "lexictl setup --hooks" in done.err
    for command in ("stop", "status"):
        assert shop.lexictl("daemon", command).out == "No daemon is running.\n"


def test_lb_103_it_updates_what_changes_and_stops(watched: Library) -> None:
    watched.write("src/shop/tax.py", '"""Taxes."""\n')
    wait_for(lambda: watched.has(".lexibrary/src/shop/tax.py.md"))
    (watched.root / "src/shop/tax.py").unlink()
    wait_for(lambda: not watched.has(".lexibrary/src/shop/tax.py.md"))
    pid = watched.lexictl("daemon", "status", "--json").data["running"]
    second = watched.lexictl("daemon", "start")
    assert second.code == 1
    assert f"process {pid}" in second.err
    assert watched.lexictl("daemon", "stop", "--json").data == {"stopped": pid}
    assert watched.lexictl("daemon", "status", "--json").data == {"running": None}


def test_what_would_steer_the_terminal_is_escaped(shop: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    root = shop.root.with_name("caf\a")
    shop.root.rename(root)
    moved = Library(root, monkeypatch)
    moved.write(".lexibrary/config.yaml", ON)
    monkeypatch.setattr("lexibrarian.watch.watch", lambda _, __, ___, begun: begun() or 0)
    out = moved.lexictl("daemon", "start").out
    assert f"Watching {root.parent}/caf\\x07. " in out
    assert "\a" not in out
    assert moved.lexictl("daemon", "start", "--json").data == {"updates": 0}


def test_lb_103_another_commit_is_one_update_of_everything(watched: Library) -> None:
    watched.git("checkout", "-qb", "other")
    for number in range(5):
        watched.write(f"src/new_{number}.py", f'"""New {number}."""\n')
    watched.git("add", "src")
    watched.git("commit", "-qm", "Five")
    wait_for(lambda: watched.has(".lexibrary/src/new_4.py.md"))
    watched.git("checkout", "-q", "main")
    wait_for(lambda: not list((watched.root / ".lexibrary/src").glob("new_*.md")))
    assert watched.lexictl("daemon", "status").out.startswith("The daemon runs as process")


def test_only_the_holder_of_the_lock_is_signalled(shop: Library) -> None:
    bystander = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        shop.write(".lexibrary/.locks/daemon.pid", str(bystander.pid))
        assert shop.lexictl("daemon", "stop").out == "No daemon is running.\n"
        assert bystander.poll() is None
    finally:
        bystander.terminate()
        bystander.wait(timeout=30)


def test_without_the_extra_it_says_what_to_install(shop: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.write(".lexibrary/config.yaml", ON)
    monkeypatch.delitem(sys.modules, "lexibrarian.watch", raising=False)
    monkeypatch.setitem(sys.modules, "watchdog", None)
    monkeypatch.setitem(sys.modules, "watchdog.events", None)
    assert 'pip install "lexibrarian[watch]"' in shop.lexictl("daemon", "start").err
