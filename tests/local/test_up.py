"""`manage.py up` from outside: it starts, survives accidents, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings

from tests import prepared
from tests.lexic.running import ROOT, Lexic, alive, child_named, command, environment, family, lexic, until

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def seed() -> Iterator[Path]:
    """A stopped data folder with its database made, to copy: that saves each test the first start."""
    folder = Path(tempfile.mkdtemp(prefix="lxu-", dir="/tmp"))
    folder.chmod(0o755)
    prepared.make_stopped(folder / "seed", database=settings.EMBEDDED_DATABASE)
    yield folder / "seed"
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def folder(seed: Path) -> Iterator[Path]:
    """Short, because socket paths are; under a folder that PostgreSQL's user may enter."""
    parent = Path(tempfile.mkdtemp(prefix="lxu-", dir="/tmp"))
    parent.chmod(0o755)
    subprocess.run(["cp", "-a", str(seed), str(parent / "var")], check=True)
    yield parent / "var"
    shutil.rmtree(parent, ignore_errors=True)


def test_up_waits_for_a_command_answers_beside_others_and_ctrl_c_stops_all_in_order(folder: Path, seed: Path) -> None:
    with command_inside(folder) as first, lexic(folder) as running:
        until(lambda: "Another command uses the built-in services" in running.output, what="the wait")
        assert first.communicate(timeout=30)[1] == ""
        running.wait_until_up().wait_for_worker()
        assert first.returncode == 0
        everything = family(running.process.pid)
        assert running.get("/healthz") == (200, {"status": "ok"})
        assert running.get("/readyz")[0] == 200
        assert_commands_beside_it_use_its_services(running)
        reader = child_named(running.process.pid, "celery", "-Q reading")
        assert os.getpriority(os.PRIO_PROCESS, reader) > os.getpriority(os.PRIO_PROCESS, running.process.pid)
        assert child_named(running.process.pid, "celery", "-Q reviews")
        # The links of the mails that it sends lead here.
        told = Path(f"/proc/{child_named(running.process.pid, 'celery', '-Q lexic')}/environ").read_bytes()
        assert f"LEXIC_PUBLIC_URL={running.url}" in told.decode().split("\0")
        with lexic(seed) as of_another_folder:
            of_another_folder.wait_until_up()
            assert of_another_folder.url != running.url
            assert of_another_folder.get("/readyz")[0] == running.get("/readyz")[0] == 200
            assert running.stop(signal.SIGINT) == 0
            assert of_another_folder.get("/readyz")[0] == 200
            assert of_another_folder.stop() == 0
        stops = ["Finished server process", "Cold shutdown", "bye bye", "database system is shut down"]
        places = [running.output.index(words) for words in [*stops, "Lexic has stopped."]]
        assert places == sorted(places)
    assert alive(everything) == []
    assert not (folder / "up.json").exists()


@contextmanager
def command_inside(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A command that has started the services of this folder, and works until its input ends."""
    patient = "import sys; print('inside', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "manage.py", "shell", "--no-imports", "-c", patient],
        cwd=ROOT,
        env=environment(folder),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "inside\n"
        yield process


def assert_commands_beside_it_use_its_services(running: Lexic) -> None:
    second = command(running.folder, "up", "--port", "0")
    assert second.returncode == 1
    assert f"Lexic is already running from this folder. It answers at {running.url}" in second.stderr
    doctor = command(running.folder, "doctor", "--json")
    statuses = {finding["name"]: finding["status"] for finding in json.loads(doctor.stdout)}
    assert {statuses[name] for name in ("database", "pgvector", "redis", "worker")} == {"ok"}
    assert running.get("/readyz")[0] == 200


def test_kill_minus_nine_leaves_no_process_and_the_next_start_recovers_and_restarts_what_is_killed(
    folder: Path,
) -> None:
    with lexic(folder) as running:
        running.wait_until_up().wait_for_worker()
        everything = until(lambda: _if_all_there(family(running.process.pid)), what="all processes")
        running.process.kill()
        running.process.wait()
        with lexic(folder) as again:  # at once: it must cope with servers that are still going down
            again.wait_until_up().wait_for_worker()
            until(lambda: not alive(everything), what=f"the end of {alive(everything)}")
            assert again.get("/readyz")[0] == 200
            assert_what_is_killed_is_restarted_alone_and_no_request_is_refused(again)
            assert again.stop() == 0


def assert_what_is_killed_is_restarted_alone_and_no_request_is_refused(running: Lexic) -> None:
    up = running.process.pid
    web = child_named(up, "local.serve")
    os.kill(child_named(up, "postgres", "-D"), signal.SIGKILL)
    os.kill(child_named(up, "redis-server"), signal.SIGKILL)
    worker = child_named(up, "celery", "-Q lexic")
    pool = family(worker)
    os.kill(worker, signal.SIGKILL)
    until(lambda: running.output.count("starting it again") == 3, what="three restarts")
    until(lambda: running.get("/readyz")[0] == 200, what="the database")
    until(lambda: running.output.count(" ready.") >= 4, what="the worker")
    assert child_named(up, "local.serve") == web
    assert alive(pool) == []
    os.kill(web, signal.SIGKILL)
    # Until the next one accepts, the socket queues.
    assert until(lambda: running.get("/healthz")[0], what="an answer") == 200
    assert child_named(up, "local.serve") != web


def test_commands_share_the_services_and_the_last_one_stops_them(folder: Path) -> None:
    count = "from accounts.models import User; import time; time.sleep(1); print(User.objects.count())"
    several = [
        subprocess.Popen(
            [sys.executable, "manage.py", "shell", "--no-imports", "-c", count],
            cwd=ROOT,
            env=environment(folder),
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    assert [process.communicate(timeout=60)[0] for process in several] == ["0\n", "0\n", "0\n"]
    assert not (folder / "pg" / "postmaster.pid").exists()


def test_a_taken_port_is_an_error_with_a_hint(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = command(folder, "up", "--port", str(port))
    assert done.returncode == 1
    assert f"Cannot listen on port {port}" in done.stderr
    assert "--port 0" in done.stderr
    assert "Traceback" not in done.stderr


def test_make_run_killed_takes_everything_with_it(folder: Path) -> None:
    # As `make run` starts it, without the set-up: a parent that is then killed.
    line = f"exec {sys.executable} manage.py up --with-parent --port 0 --concurrency 1"
    with lexic(folder, program=("bash", "-c", f"({line}); true")) as made:
        until(lambda: "Lexic is up at" in made.output, what="the start")
        everything = family(made.process.pid)
        made.process.kill()
        made.process.wait()
        until(lambda: not alive(everything), what=f"the end of {alive(everything)}")


def test_an_ordinary_user_can_run_it_from_nothing() -> None:
    nobody = pwd.getpwnam("nobody") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())
    python = _python_for(nobody.pw_uid)
    # Another folder than the other tests': this one belongs to that user.
    parent = Path(tempfile.mkdtemp(prefix="lxu-", dir="/tmp"))
    os.chown(parent, nobody.pw_uid, nobody.pw_gid)
    packages = os.pathsep.join(path for path in sys.path if path.endswith("site-packages"))
    person = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []} if os.geteuid() == 0 else {}
    own = {"HOME": str(parent), "LEXIC_STATIC_ROOT": str(parent / "static")}
    env = environment(parent / "var", PYTHONPATH=packages, PYTHONDONTWRITEBYTECODE="1", **own)
    try:
        program = (python, "manage.py", "up", "--port", "0", "--concurrency", "1")
        with lexic(parent / "var", program=program, env=env, **person) as running:
            running.wait_until_up()
            assert running.get("/readyz")[0] == 200
            everything = family(running.process.pid)
            assert running.stop() == 0
        assert alive(everything) == []
        assert (parent / "var" / "pg").stat().st_uid == nobody.pw_uid
    finally:
        shutil.rmtree(parent, ignore_errors=True)


def _python_for(uid: int) -> str:
    """A Python 3.11 that the user may run, with a checkout and packages that the user may read."""
    packages = next(path for path in sys.path if path.endswith("site-packages"))
    for python in (sys.executable, "/usr/bin/python3.11"):
        probe = f"import sys; sys.path.insert(0, {packages!r}); import django; print(sys.version_info[:2])"
        try:
            done = subprocess.run(
                [python, "-c", probe],
                cwd=ROOT,
                user=None if uid == os.geteuid() else uid,
                capture_output=True,
                text=True,
            )
        except OSError:
            continue
        if done.stdout == "(3, 11)\n":
            return python
    pytest.skip("an ordinary user can reach neither this Python nor /usr/bin/python3.11 with these packages")


def _if_all_there(processes: dict[tuple[int, str], str]) -> dict[tuple[int, str], str] | None:
    """The workers, their pool processes and the timetable, beside the web process and the servers."""
    celery = [line for line in processes.values() if "celery" in line]
    return processes if len(celery) >= 8 and len(processes) >= 15 else None
