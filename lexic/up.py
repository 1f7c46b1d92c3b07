"""`manage.py up`: the database, the broker, the worker and the web server, in the foreground until Ctrl-C."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from django.conf import settings

from lexic import embedded, locks, parts, running_server, static
from lexic.celery import requeue_abandoned
from lexic.console import Console
from lexic.errors import LexicError
from lexic.supervise import PartFailed, Stopped, Supervisor

# How long a second start waits for a first one that is already stopping.
_PATIENCE = 40.0


class AlreadyRunning(LexicError):
    """Lexic is already running from this folder."""

    code = "already_running"
    status = 409
    hint = "Stop it first, or set LEXIC_VAR_DIR to another folder."


class PortTaken(LexicError):
    """The port is taken by another program."""

    code = "port_taken"
    status = 409


@dataclass(frozen=True, kw_only=True)
class Shape:
    """How much of everything, and where."""

    host: str
    port: int  # 0: any free one
    web_processes: int
    concurrency: int  # processes that read documents


def up(shape: Shape, *, console: Console) -> None:
    """Returns after a clean stop; raises a LexicError when Lexic cannot start or keeps crashing."""
    root = settings.VAR_DIR
    needed = embedded.services(root, database_url=settings.DATABASE_URL, redis_url=settings.REDIS_URL)
    # The outer stack keeps the services ours until the supervisor has stopped them.
    with contextlib.ExitStack() as until_the_end:
        until_the_end.enter_context(only_supervisor(root))
        listener = until_the_end.enter_context(listen(host=shape.host, port=shape.port))
        url = url_of(listener)
        running_server.announce(root, url=url, status="starting")
        until_the_end.callback(running_server.withdraw, root)
        # At the end, the end is announced first; then the supervisor stops what runs.
        with contextlib.suppress(Stopped), Supervisor(console) as supervisor, _announced_end(root, url=url):
            _start_services(supervisor, root, needed, until=until_the_end)
            supervisor.run_once(parts.migration(settings.BASE_DIR))
            if not (settings.DEBUG or static.is_collected()):
                supervisor.run_once(parts.static_files(settings.BASE_DIR))
            _start_programs(supervisor, shape, listener=listener, owns_broker=_has_redis(needed))
            running_server.announce(root, url=url, status="up")
            console.say(f"Lexic is up at {url} (Ctrl-C stops it)")
            supervisor.keep_running()
    console.say("Lexic has stopped.")


@contextlib.contextmanager
def only_supervisor(root: Path) -> Iterator[None]:
    """Holds the folder's lock. Waits for a holder that is stopping; raises `AlreadyRunning` for another."""
    with locks.opened(root, running_server.SUPERVISOR_LOCK) as lock:
        end = time.monotonic() + _PATIENCE
        while not locks.take(lock, seconds=0.5):
            server = running_server.running_server(root)
            if (server and server.status != "stopping") or time.monotonic() > end:
                where = f" It answers at {server.url} (process {server.pid})." if server else ""
                raise AlreadyRunning(f"Lexic is already running from this folder.{where}")
        yield


def listen(*, host: str, port: int) -> socket.socket:
    """The socket that all web processes share; raises `PortTaken`."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise PortTaken(
            f"Cannot listen on port {port} of {host}: {error.strerror}.",
            hint=f"Choose another: `make run PORT={port + 1}`, or `manage.py up --port 0` for any free one.",
        ) from error


def url_of(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104
    return f"http://{host}:{port}"


def _start_services(
    supervisor: Supervisor, root: Path, needed: list[embedded.Service], *, until: contextlib.ExitStack
) -> None:
    with embedded.taking_over(root, needed, until=until, waiting=_waiting(supervisor)):
        for service in needed:
            # Stopped in the opposite order, PostgreSQL last.
            rank = 0 if isinstance(service, embedded.Postgres) else 1
            supervisor.start(parts.service_part(service, rank=rank), until=service.is_ready)
            if isinstance(service, embedded.Postgres):
                service.create_database(settings.EMBEDDED_DATABASE)


def _waiting(supervisor: Supervisor) -> Callable[[], None]:
    told: list[bool] = []

    def wait() -> None:
        if not told:
            supervisor.console.say("Another command uses the built-in services: waiting until it is done.")
            told.append(True)
        supervisor.turn(wait=0.2)

    return wait


def _start_programs(supervisor: Supervisor, shape: Shape, *, listener: socket.socket, owns_broker: bool) -> None:
    schedule = settings.VAR_DIR / "timetable"

    def before(queue: str) -> Callable[[], None]:
        return partial(_requeue, queue) if owns_broker else _nothing

    worker_before, reader_before = before(settings.CELERY_TASK_DEFAULT_QUEUE), before(settings.READING_QUEUE)
    supervisor.start(parts.worker(settings.BASE_DIR, schedule=schedule, before_start=worker_before))
    supervisor.start(parts.reader(settings.BASE_DIR, concurrency=shape.concurrency, before_start=reader_before))
    for number in range(1, shape.web_processes + 1):
        part = parts.web(
            settings.BASE_DIR,
            number=number,
            of=shape.web_processes,
            listener=listener,
            public_url=url_of(listener),
        )
        supervisor.start(part)
    with Probe(listener) as probe:
        supervisor.wait_for(probe.has_answered)


class Probe:
    """Asks /healthz once and does not block: the listening socket queues it until a web process is up."""

    def __init__(self, listener: socket.socket) -> None:
        self.address = url_of(listener).removeprefix("http://").rsplit(":", 1)
        self.connection: socket.socket | None = None

    def __enter__(self) -> Probe:
        return self

    def __exit__(self, *problem: object) -> None:
        self._close()

    def has_answered(self) -> bool:
        """Any answer counts, even a refusal (ALLOWED_HOSTS need not name this address), but no server error."""
        if self.connection is None:
            self.connection = self._ask()
            return False
        try:
            answer = self.connection.recv(32)
        except BlockingIOError:
            return False
        except OSError:
            answer = b""
        if not answer:
            self._close()
        return answer.startswith(b"HTTP/") and answer[9:10] in b"1234"

    def _ask(self) -> socket.socket:
        host, port = self.address
        connection = socket.create_connection((host.strip("[]"), int(port)), timeout=5)
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        connection.setblocking(False)
        return connection

    def _close(self) -> None:
        if self.connection:
            self.connection.close()
        self.connection = None


def stop_with_parent() -> None:
    """Ask for our own SIGTERM when the process that started us dies: `make run` leaves nothing behind."""
    parent = os.getppid()
    embedded.arm_death_signal(signal.SIGTERM)
    if os.getppid() != parent:
        raise PartFailed("The process that started Lexic is gone.")


@contextlib.contextmanager
def _announced_end(root: Path, *, url: str) -> Iterator[None]:
    try:
        yield
    finally:
        running_server.announce(root, url=url, status="stopping")


def _has_redis(needed: list[embedded.Service]) -> bool:
    return any(isinstance(service, embedded.Redis) for service in needed)


def _requeue(queue: str) -> None:
    """No worker of ours for this queue is alive at this moment, and nobody else's uses this broker."""
    import redis

    try:
        requeue_abandoned(queue)
    except redis.RedisError as error:  # it may have died together with the worker, and is being restarted
        raise parts.NotYet from error


def _nothing() -> None:
    """The broker is shared: another machine's workers may still be at what they have not acknowledged."""
