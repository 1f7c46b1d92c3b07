"""A second PostgreSQL that follows the tests' one by streaming replication, and can be paused and stopped."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from django.db import connection, connections

from knowledge.search import replica
from local import embedded_services
from local.embedded_services import Postgres
from local.unprivileged_user import allow_traversal, make_private_folder

# What it holds is thrown away, so nothing waits for the disk.
FAST = ["-c", "fsync=off", "-c", "full_page_writes=off"]


class Replica:
    """The copy, as an operator has it in hand."""

    def __init__(self, root: Path) -> None:
        self.server = Postgres(root)
        self._process: subprocess.Popen[bytes] | None = None

    def make(self) -> None:
        """Copy the primary as it is, and follow it."""
        self.server.root.mkdir(parents=True, exist_ok=True)
        allow_traversal(self.server.root)
        make_private_folder(self.server.socket_folder)
        make_private_folder(self.server.data)
        program = embedded_services._pg_binary("pg_basebackup")
        primary = connection.settings_dict["HOST"]
        subprocess.run(
            [program, "-h", primary, "-U", "lexic", "-D", str(self.server.data), "-R", "-X", "stream", "-c", "fast"],
            cwd="/",
            check=True,
            capture_output=True,
            **self.server.user(),
        )
        self.start()

    def start(self) -> None:
        quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._process = self.server.spawn(*FAST, **quiet)
        embedded_services.wait_until_ready(self.server, self._process)

    def stop(self) -> None:
        if self._process is not None:
            embedded_services.stop_service(self.server, self._process)
            self._process = None

    def pause(self) -> None:
        """What the primary writes from now on arrives, and is not applied."""
        self._ask("SELECT pg_wal_replay_pause()")
        self._wait(lambda: self._ask("SELECT pg_get_wal_replay_pause_state()") == "paused")

    def resume(self) -> None:
        self._ask("SELECT pg_wal_replay_resume()")

    def catch_up(self) -> None:
        """Returns when everything is applied that the primary has written by now."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_current_wal_insert_lsn()::text")
            (written,) = cursor.fetchone()
            # One record more: the position may be that of the next one, which is behind the head of a page.
            cursor.execute("SELECT pg_logical_emit_message(true, 'tests', '')")
        self._wait(lambda: self._ask(f"SELECT pg_last_wal_replay_lsn() >= '{written}'::pg_lsn") is True)

    def _ask(self, query: str) -> Any:
        with psycopg.connect(**self.server.connection(connection.settings_dict["NAME"]), autocommit=True) as session:
            row = session.execute(query).fetchone()
            return row[0] if row else None

    @staticmethod
    def _wait(is_so: Callable[[], bool]) -> None:
        until = time.monotonic() + 120
        while not is_so():
            assert time.monotonic() < until, "the replica does not get there"
            time.sleep(0.01)


@contextmanager
def running_replica() -> Iterator[Replica]:
    """Inside the block it runs, and the program knows it, as it does by `DATABASE_REPLICA_URL`.

    Tests name it beside the primary, in `databases` of their mark.
    """
    with tempfile.TemporaryDirectory(prefix="lxt-r", dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        copy, primary = Replica(Path(folder)), connections.databases["default"]
        copy.make()
        connections.databases[replica.REPLICA] = {
            **primary,
            "HOST": str(copy.server.socket_folder),
            "TEST": {**primary["TEST"], "MIRROR": "default"},
        }
        try:
            yield copy
        finally:
            connections[replica.REPLICA].close()
            del connections[replica.REPLICA]
            del connections.databases[replica.REPLICA]
            copy.stop()
