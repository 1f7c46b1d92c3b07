"""The processes of Lexic, and how each is started and stopped."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from local.embedded_services import Service, die_with_parent
from local.process_priority import lower_priority

SpawnFunction = Callable[[], "subprocess.Popen[bytes]"]
_PIPES: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}


# Golden questions of one expert must not wait for those of another, nor a webhook for either.
WORKER_CONCURRENCY = 2


class NotReadyToStart(Exception):
    """A part cannot be started now, but soon: what it needs is itself being started."""


@dataclass(frozen=True, kw_only=True)
class ManagedProcess:
    name: str
    spawn: SpawnFunction
    stop_signal: signal.Signals = signal.SIGTERM
    stop_seconds: int = 15
    # What it gets when somebody is in a hurry. PostgreSQL cleans its shared memory up on SIGQUIT.
    kill_signal: signal.Signals = signal.SIGKILL
    rank: int = 0  # parts of the same rank are stopped together, the highest rank first
    owns_process_group: bool = False  # its process group dies with it


@dataclass(frozen=True, kw_only=True)
class PythonProgram:
    """A Python process of ours: `python ARGUMENTS`, from the project's folder."""

    arguments: tuple[str, ...]
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    niceness: int = 0
    inherited_fds: tuple[int, ...] = ()

    def spawn(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603 -- our own program, no shell
            [sys.executable, *self.arguments],
            cwd=self.folder,
            env={**os.environ, "PYTHONUNBUFFERED": "1", **self.environment},
            pass_fds=self.inherited_fds,
            start_new_session=True,
            preexec_fn=self._before_exec(),
            **_PIPES,
        )

    def _before_exec(self) -> Callable[[], None]:
        # Nobody is left to wait for a soft stop: the services go at the same moment.
        die = die_with_parent(signal.SIGKILL)

        def prepare() -> None:
            die()
            lower_priority(niceness=self.niceness)

        return prepare


def service_process(service: Service, *, rank: int) -> ManagedProcess:
    # The console says who speaks; the time of day is of no use beside it.
    options = ["-c", "log_line_prefix=", "-c", "log_checkpoints=off"] if service.name == "postgres" else []

    def spawn() -> subprocess.Popen[bytes]:
        service.prepare()
        return service.spawn(*options, patience=0, **_PIPES)

    return ManagedProcess(
        name=service.name,
        spawn=spawn,
        stop_signal=service.stop_signal,
        stop_seconds=service.stop_seconds,
        kill_signal=signal.SIGQUIT if service.name == "postgres" else signal.SIGKILL,
        rank=rank,
    )


def migration_process(folder: Path) -> ManagedProcess:
    program = PythonProgram(arguments=("manage.py", "migrate", "--no-input", "--verbosity=0"), folder=folder)
    return ManagedProcess(name="migrate", spawn=program.spawn, rank=2, owns_process_group=True)


def collectstatic_process(folder: Path) -> ManagedProcess:
    arguments = ("manage.py", "collectstatic", "--no-input", "--verbosity=0")
    return ManagedProcess(
        name="static",
        spawn=PythonProgram(arguments=arguments, folder=folder).spawn,
        rank=2,
        owns_process_group=True,
    )


def worker_process(
    folder: Path, *, schedule: Path, before_start: Callable[[], None], public_url: str
) -> ManagedProcess:
    """The Celery worker with its timetable: what people wait for. `before_start` is called before each start, after a
    crash too."""
    options = ["-Q", "lexic", "-c", str(WORKER_CONCURRENCY), "-B", "-s", str(schedule)]
    return _celery_process("worker", folder, options, before_start=before_start, public_url=public_url, niceness=5)


def reader_process(
    folder: Path, *, concurrency: int, before_start: Callable[[], None], public_url: str
) -> ManagedProcess:
    """The Celery worker that reads documents and makes backups. It gives way to everything else once it is up
    (`lexic.celery`)."""
    options = ["-Q", "reading,backups", "-c", str(concurrency)]
    # One thread for each process of it: more would only be in the way of those who answer.
    threads = os.environ.get("LEXIC_EMBEDDER_THREADS") or "1"
    environment = {"LEXIC_EMBEDDER_THREADS": threads}
    return _celery_process(
        "reader", folder, options, before_start=before_start, public_url=public_url, environment=environment
    )


def reviewer_process(folder: Path, *, before_start: Callable[[], None], public_url: str) -> ManagedProcess:
    """The Celery worker that reviews contracts, one after the other: somebody waits for each, and longer than for what
    the other worker does."""
    options = ["-Q", "reviews", "-c", "1"]
    return _celery_process("reviewer", folder, options, before_start=before_start, public_url=public_url, niceness=5)


def _celery_process(
    name: str,
    folder: Path,
    options: Sequence[str],
    *,
    before_start: Callable[[], None],
    public_url: str,
    niceness: int = 0,
    environment: Mapping[str, str] | None = None,
) -> ManagedProcess:
    own = ["-n", f"{name}@%h", *options, "-l", "INFO", "--without-gossip", "--without-mingle"]
    program = PythonProgram(
        arguments=("-m", "celery", "--quiet", "--no-color", "-A", "lexic", "worker", *own),
        folder=folder,
        # SIGTERM is the soft stop: running tasks get a few seconds and go back to the queue.
        environment={
            "REMAP_SIGTERM": "SIGQUIT",
            "LEXIC_DB_POOL": "0",
            # The links of mails lead there.
            "LEXIC_PUBLIC_URL": os.environ.get("LEXIC_PUBLIC_URL") or public_url,
            **(environment or {}),
        },
        niceness=niceness,
    )

    def spawn() -> subprocess.Popen[bytes]:
        before_start()
        return program.spawn()

    return ManagedProcess(name=name, spawn=spawn, rank=2, owns_process_group=True)


def web_process(folder: Path, *, number: int, of: int, listener: socket.socket, public_url: str) -> ManagedProcess:
    program = PythonProgram(
        arguments=("-m", "local.serve", str(listener.fileno())),
        folder=folder,
        environment={
            "LEXIC_DB_POOL": os.environ.get("LEXIC_DB_POOL") or "8",
            "LEXIC_PUBLIC_URL": os.environ.get("LEXIC_PUBLIC_URL") or public_url,
        },
        inherited_fds=(listener.fileno(),),
    )
    name = "web" if of == 1 else f"web.{number}"
    return ManagedProcess(name=name, spawn=program.spawn, stop_seconds=10, rank=3, owns_process_group=True)
