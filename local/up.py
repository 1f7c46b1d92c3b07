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

from lexic import metrics, static_files
from lexic.celery import requeue_unacknowledged
from lexic.errors import LexicError
from local import embedded_services, locks, processes, running_server
from local.console import Console
from local.supervisor import StartFailed, StopRequested, Supervisor

# How long a second start waits for a first one that is already stopping.
_LOCK_TIMEOUT_SECONDS = 40.0


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
class ServerOptions:
    """How much of everything, and where."""

    host: str
    port: int  # 0: any free one
    web_processes: int
    concurrency: int  # processes that read documents


def up(options: ServerOptions, *, console: Console) -> None:
    """Returns after a clean stop; raises a LexicError when Lexic cannot start or keeps crashing."""
    root = settings.VAR_DIR
    needed = embedded_services.required_services(root, database_url=settings.DATABASE_URL, redis_url=settings.REDIS_URL)
    # The outer stack keeps the services ours until the supervisor has stopped them.
    with contextlib.ExitStack() as until_the_end:
        until_the_end.enter_context(hold_supervisor_lock(root))
        listener = until_the_end.enter_context(open_listener(host=options.host, port=options.port))
        url = listener_url(listener)
        running_server.write_server_status(root, url=url, status="starting")
        until_the_end.callback(running_server.remove_server_status, root)
        # At the end, the end is announced first; then the supervisor stops what runs.
        with contextlib.suppress(StopRequested), Supervisor(console) as supervisor, _announce_stop(root, url=url):
            _start_services(supervisor, root, needed, until=until_the_end)
            metrics.clear_folder()
            supervisor.run_once(processes.migration_process(settings.BASE_DIR))
            if not (settings.DEBUG or static_files.is_collected()):
                supervisor.run_once(processes.collectstatic_process(settings.BASE_DIR))
            owns_broker = any(isinstance(service, embedded_services.Redis) for service in needed)
            _start_programs(supervisor, options, listener=listener, owns_broker=owns_broker)
            running_server.write_server_status(root, url=url, status="up")
            console.print_message(f"Lexic is up at {url} (Ctrl-C stops it)")
            supervisor.keep_running()
    console.print_message("Lexic has stopped.")


@contextlib.contextmanager
def hold_supervisor_lock(root: Path) -> Iterator[None]:
    """Holds the folder's lock. Waits for a holder that is stopping; raises `AlreadyRunning` for another."""
    with locks.open_lock(root, running_server.SUPERVISOR_LOCK) as lock:
        end = time.monotonic() + _LOCK_TIMEOUT_SECONDS
        while not locks.try_lock(lock, seconds=0.5):
            server = running_server.find_running_server(root)
            if (server and server.status != "stopping") or time.monotonic() > end:
                where = f" It answers at {server.url} (process {server.pid})." if server else ""
                raise AlreadyRunning(f"Lexic is already running from this folder.{where}")
        yield


def open_listener(*, host: str, port: int) -> socket.socket:
    """The socket that all web processes share; raises `PortTaken`."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise PortTaken(
            f"Cannot listen on port {port} of {host}: {error.strerror}.",
            hint=f"Choose another: `make run PORT={port + 1}`, or `manage.py up --port 0` for any free one.",
        ) from error


def listener_url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104
    return f"http://{host}:{port}"


def _start_services(
    supervisor: Supervisor, root: Path, needed: list[embedded_services.Service], *, until: contextlib.ExitStack
) -> None:
    with embedded_services.take_over_services(root, needed, until=until, waiting=_command_waiter(supervisor)):
        for service in needed:
            # Stopped in the opposite order, PostgreSQL last.
            rank = 0 if isinstance(service, embedded_services.Postgres) else 1
            supervisor.start(processes.service_process(service, rank=rank), until=service.is_ready)
            if isinstance(service, embedded_services.Postgres):
                service.create_database(settings.EMBEDDED_DATABASE)


def _command_waiter(supervisor: Supervisor) -> Callable[[], None]:
    told: list[bool] = []

    def wait() -> None:
        if not told:
            supervisor.console.print_message("Another command uses the built-in services: waiting until it is done.")
            told.append(True)
        supervisor.run_cycle(wait=0.2)

    return wait


def _start_programs(
    supervisor: Supervisor, options: ServerOptions, *, listener: socket.socket, owns_broker: bool
) -> None:
    schedule = settings.VAR_DIR / "timetable"

    def before(*queues: str) -> Callable[[], None]:
        return partial(_requeue_messages, *queues) if owns_broker else _skip_requeue

    folder, default_queue, url = settings.BASE_DIR, settings.CELERY_TASK_DEFAULT_QUEUE, listener_url(listener)
    worker = processes.worker_process(folder, schedule=schedule, before_start=before(default_queue), public_url=url)
    readers_queues = before(settings.READING_QUEUE, settings.BACKUP_QUEUE)
    reader = processes.reader_process(
        folder, concurrency=options.concurrency, before_start=readers_queues, public_url=url
    )
    reviewer = processes.reviewer_process(folder, before_start=before(settings.REVIEW_QUEUE), public_url=url)
    for part in (worker, reader, reviewer):
        supervisor.start(part)
    for number in range(1, options.web_processes + 1):
        part = processes.web_process(
            folder,
            number=number,
            of=options.web_processes,
            listener=listener,
            public_url=url,
        )
        supervisor.start(part)
    with HealthProbe(listener) as probe:
        supervisor.wait_for(probe.has_answered)


class HealthProbe:
    """Asks /healthz once and does not block: the listening socket queues it until a web process is up."""

    def __init__(self, listener: socket.socket) -> None:
        self.address = listener_url(listener).removeprefix("http://").rsplit(":", 1)
        self.connection: socket.socket | None = None

    def __enter__(self) -> HealthProbe:
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
    embedded_services.set_parent_death_signal(signal.SIGTERM)
    if os.getppid() != parent:
        raise StartFailed("The process that started Lexic is gone.")


@contextlib.contextmanager
def _announce_stop(root: Path, *, url: str) -> Iterator[None]:
    try:
        yield
    finally:
        running_server.write_server_status(root, url=url, status="stopping")


def _requeue_messages(*queues: str) -> None:
    """No worker of ours for these queues is alive at this moment, and nobody else's uses this broker."""
    import redis

    try:
        for queue in queues:
            requeue_unacknowledged(queue)
    except redis.RedisError as error:  # it may have died together with the worker, and is being restarted
        raise processes.NotReadyToStart from error


def _skip_requeue() -> None:
    """The broker is shared: another machine's workers may still be at what they have not acknowledged."""
