"""A large update is shared among processes, and says and writes what a small one would."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import pytest
from example_library import Library
from test_robustness import PROGRAM, ROOT, written

from lexibrarian import processes, update
from lexibrarian.errors import LibraryError
from lexibrarian.processes import share

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only here processes are copied")
SHARED = "import lexibrarian.update as update; update._WORTH_SHARING = 1; update.usable_processors = lambda: 3\n"


def joined(items: Iterable[str]) -> tuple[int, str]:
    return os.getpid(), "".join(items)


def test_results_come_in_the_order_of_the_items_from_several_processes() -> None:
    letters = [chr(ord("a") + number) for number in range(26)]
    found = share(letters, joined, processes=3)
    assert "".join(text for _, text in found) == "".join(letters)
    by_process = {process for process, _ in found}
    assert len(by_process) == 3
    assert os.getpid() not in by_process
    assert share([], joined, processes=3) == []
    assert [text for _, text in share(["a"], joined, processes=3)] == ["a"]


def test_a_refusal_in_another_process_is_raised_here() -> None:
    def refuse(items: Iterable[str]) -> None:
        raise LibraryError("Not writable.", code="not_writable", hint=f"See {next(iter(items))}.")

    with pytest.raises(LibraryError) as raised:
        share(["a", "b"], refuse, processes=2)
    assert (raised.value.message, raised.value.code, raised.value.hint) == ("Not writable.", "not_writable", "See a.")


def test_a_killed_process_is_reported() -> None:
    def die(items: Iterable[str]) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(LibraryError) as raised:
        share(["a", "b"], die, processes=2)
    assert raised.value.code == "killed"


def test_one_processor_is_used_where_there_is_one_or_where_other_threads_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1, 2})
    monkeypatch.setattr(processes.threading, "active_count", lambda: 1)
    assert processes.usable_processors() == 3
    monkeypatch.setattr(processes.threading, "active_count", lambda: 2)
    assert processes.usable_processors() == 1


def many_sources(library: Library, count: int = 40) -> None:
    for number in range(count):
        library.write(f"src/new{number}.py", f'"""File {number}."""\n\nimport new{number // 2}\n\n\nclass New: ...\n')
    library.write("src/half.py", "<<<<<<< ours\n=======\n>>>>>>> theirs\n")
    library.write("src/data.bin", b"\0\1")
    library.write("tests/test_new1.py", "import new1\n")


def test_a_shared_update_writes_and_says_what_one_process_would(shop: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    many_sources(shop)
    begin_anew(shop)
    alone = json.loads(shop.lexictl("update", "--json").out)
    files, log = written(shop), sorted(logged(shop))
    begin_anew(shop)
    monkeypatch.setattr(update, "_WORTH_SHARING", 1)
    monkeypatch.setattr(update, "usable_processors", lambda: 3)
    assert json.loads(shop.lexictl("update", "--json").out) == alone
    assert written(shop) == files
    assert sorted(logged(shop)) == log
    again = json.loads(shop.lexictl("update", "--json").out)
    assert again["levels"] == {"src/half.py": "conflict"}
    assert not again["relinked"]


def begin_anew(library: Library) -> None:
    shutil.rmtree(library.root / ".lexibrary")
    (library.root / ".lexibrarian.log").unlink()
    assert library.lexictl("init", "--defaults").code == 0


def logged(library: Library) -> list[str]:
    return [line.split(" ", 2)[-1] for line in library.read(".lexibrarian.log").splitlines()]


def test_a_shared_update_that_was_killed_leaves_no_process_and_the_next_one_repairs(shop: Library) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    for number in range(5):
        many_sources(shop, 40 + 20 * number)
        command = [sys.executable, "-c", SHARED + PROGRAM.format(name="lexictl"), "update"]
        process = subprocess.Popen(
            command, cwd=shop.root, env=environment, stdout=subprocess.DEVNULL, start_new_session=True
        )
        wait_for_designs(shop, 2 + number)
        process.kill()
        process.wait()
        while members_of(process.pid):
            time.sleep(0.01)
    assert shop.lexictl("update").code == 0
    repaired = written(shop)
    for derived in (*(shop.root / ".lexibrary/src").rglob("*.md"), shop.root / ".lexibrary/index.db"):
        derived.unlink()
    assert shop.lexictl("update").code == 0
    assert written(shop) == repaired


def wait_for_designs(library: Library, count: int) -> None:
    deadline = time.monotonic() + 60
    while len(list((library.root / ".lexibrary").rglob("new*.py.md"))) < count and time.monotonic() < deadline:
        time.sleep(0.001)


def members_of(session: int) -> list[int]:
    """The processes of a session that still run."""
    found = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, theirs = place.read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if int(theirs) == session and state != "Z":
            found.append(int(place.parent.name))
    return found
