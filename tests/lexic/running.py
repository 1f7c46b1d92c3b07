"""Starts Lexic the way people do, in a folder of its own, and looks at its processes from outside."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
# Collected once for all of them, which takes seconds.
_STATIC = tempfile.TemporaryDirectory(prefix="lexic-static-")
PATIENCE = 240.0


def environment(folder: Path, **more: str) -> dict[str, str]:
    """As in a fresh shell: nothing of the test run's own settings."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("LEXIC_", "PYTEST_"))}
    for name in (
        "DATABASE_URL",
        "REDIS_URL",
        "DJANGO_SETTINGS_MODULE",
        "COVERAGE_PROCESS_START",
        "PROMETHEUS_MULTIPROC_DIR",
    ):
        own.pop(name, None)
    settings = {"LEXIC_VAR_DIR": str(folder), "LEXIC_STATIC_ROOT": _STATIC.name, "LEXIC_LLM": "extractive"}
    return {**own, **settings, "NO_COLOR": "1", **more}


def command(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=environment(folder, **more),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def until(is_true: Callable[[], Any], *, what: str = "it") -> Any:
    """Waits, generously: machines are slow when tests run in parallel."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if found := is_true():
            return found
        time.sleep(0.02)
    raise AssertionError(f"waited {PATIENCE:.0f} s for {what}")


class Lexic:
    """One `manage.py up`."""

    def __init__(self, folder: Path, *, program: tuple[str, ...] = (), **popen: Any) -> None:
        self.folder = folder
        self.log = folder.parent / f"{folder.name}.log"
        popen.setdefault("env", environment(folder))
        self._first = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                program or (sys.executable, "manage.py", "up", "--port", "0", "--concurrency", "1"),
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                **popen,
            )

    @property
    def output(self) -> str:
        return self.log.read_bytes()[self._first :].decode()

    @property
    def url(self) -> str:
        return str(json.loads((self.folder / "up.json").read_text())["url"])

    def wait_until_up(self) -> Lexic:
        until(lambda: "Lexic is up at" in self.output or self.process.poll() is not None, what="the start")
        assert self.process.poll() is None, self.output
        return self

    def wait_for_worker(self) -> Lexic:
        until(lambda: self.output.count(" ready.") > 2, what="the worker, the reader and the reviewer")
        return self

    def get(self, path: str) -> tuple[int, dict[str, Any]]:
        """Status and JSON; 0 while nobody answers."""
        try:
            with urllib.request.urlopen(f"{self.url}{path}", timeout=20) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)
        except OSError:
            return 0, {}

    def stop(self, *signals: signal.Signals) -> int:
        for number in signals or (signal.SIGINT,):
            self.process.send_signal(number)
        return self.process.wait(PATIENCE)


@contextmanager
def lexic(folder: Path, **options: Any) -> Iterator[Lexic]:
    started = Lexic(folder, **options)
    try:
        yield started
    finally:
        if started.process.poll() is None:
            started.process.kill()
            started.process.wait()
        print(started.output)  # pytest shows it when the test fails


def family(pid: int) -> dict[tuple[int, str], str]:
    """The process and all its descendants: (pid, start time) → command line."""
    parents: dict[int, list[int]] = {}
    for child in _pids():
        if stat := _stat(child):
            parents.setdefault(int(stat[1]), []).append(child)
    found, todo = {}, [pid]
    while todo:
        one = todo.pop()
        if stat := _stat(one):
            found[(one, stat[19])] = _command_line(one)
        todo += parents.get(one, [])
    return found


def alive(processes: dict[tuple[int, str], str]) -> list[str]:
    """Those that still run (a zombie does not)."""
    left = []
    for (pid, start), line in processes.items():
        stat = _stat(pid)
        if stat and stat[19] == start and stat[0] != "Z":
            left.append(line)
    return left


def child_named(parent: int, *words: str) -> int:
    """The direct child of the process whose command line has these words."""
    for (pid, _), line in family(parent).items():
        stat = _stat(pid)
        if stat and int(stat[1]) == parent and all(word in line for word in words):
            return pid
    raise AssertionError(f"{parent} has no child {words}: {list(family(parent).values())}")


def _pids() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def _stat(pid: int) -> list[str] | None:
    """The fields of /proc/PID/stat after the name: [0] state, [1] parent, [19] start time."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None


def _command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""
