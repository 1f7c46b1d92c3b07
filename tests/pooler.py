"""PgBouncer in front of the tests' PostgreSQL: every transaction may get another session."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest
from django.db import connection

from local.unprivileged_user import change_owner, unprivileged_popen_arguments

_PORT = 6432
_SETTINGS = """
[databases]
* = host={postgres} user=lexic
[pgbouncer]
listen_addr =
listen_port = {port}
unix_socket_dir = {folder}
auth_type = any
pool_mode = transaction
default_pool_size = 3
server_round_robin = 1
ignore_startup_parameters = extra_float_digits
"""


@contextmanager
def transaction_pooler() -> Iterator[str]:
    """The URL of the tests' database behind it. Skips where there is no PgBouncer."""
    program = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        pytest.skip("there is no pgbouncer on this machine (Debian: apt-get install pgbouncer)")
    with tempfile.TemporaryDirectory(prefix="lxb-", dir="/tmp") as name:
        folder = Path(name)
        settings = folder / "pgbouncer.ini"
        settings.write_text(_SETTINGS.format(postgres=connection.settings_dict["HOST"], port=_PORT, folder=folder))
        for path in (folder, settings):
            change_owner(path)
        process = subprocess.Popen([program, "-q", str(settings)], **unprivileged_popen_arguments())
        try:
            _wait_for(folder / f".s.PGSQL.{_PORT}", process)
            yield f"postgres://lexic@{quote(name, safe='')}:{_PORT}/{connection.settings_dict['NAME']}"
        finally:
            process.terminate()
            process.wait(10)


def _wait_for(socket: Path, process: subprocess.Popen[bytes]) -> None:
    for _ in range(600):
        if socket.exists():
            return
        assert process.poll() is None, "pgbouncer has ended"
        time.sleep(0.05)
    raise AssertionError("pgbouncer did not start")
