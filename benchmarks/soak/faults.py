"""One fault a minute: processes are killed and paused, connections dropped, a disk filled, a receiver spoilt."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from benchmarks.soak.processes import Process, family_of
from benchmarks.soak.record import SoakRecord
from benchmarks.soak.site import Site

FIRST_AFTER, EVERY = 25.0, 60.0  # seconds
PAUSE_SECONDS = 8.0
PAGE = 4096


class FaultNotPossible(Exception):
    """The fault could not be brought about at this moment, or on this machine."""


Fault = Callable[[Site, SoakRecord], str]


def inject_faults(site: Site, record: SoakRecord, *, until: float, seed: int = 20) -> None:
    """Brings about a fault every minute until that moment (monotonic seconds): each of them once, in an order of
    chance, and then again."""
    choose, order = random.Random(seed), list[Fault]()
    at = time.monotonic() + FIRST_AFTER
    while at + PAUSE_SECONDS < until and not record.is_over.wait(max(0.0, at - time.monotonic())):
        order = order or choose.sample(FAULTS, len(FAULTS))
        fault, begun = order.pop(), time.monotonic() - record.began
        try:
            said = fault(site, record)
        except FaultNotPossible as problem:
            said = f"not possible: {problem}"
        record.faults.append({"fault": fault.__name__, "at": round(begun, 1), "what": said})
        print(f"{begun:7.1f} s  {fault.__name__}: {said}", flush=True)
        at += EVERY


# --- Killed -------------------------------------------------------------------------------------------------------


def _kill(processes: Sequence[Process]) -> str:
    if not processes:
        raise FaultNotPossible("it is not running")
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
    return f"killed {', '.join(f'{process.role} {process.pid}' for process in processes)}"


def kill_worker(site: Site, record: SoakRecord) -> str:
    return _kill(family_of(site.supervisor).first("worker"))


def kill_reader(site: Site, record: SoakRecord) -> str:
    """The main process of the worker that reads documents."""
    return _kill(family_of(site.supervisor).first("reader"))


def kill_reader_child(site: Site, record: SoakRecord) -> str:
    """The process that is reading, whose parent lives."""
    return _kill(family_of(site.supervisor).others("reader")[:1])


def kill_web(site: Site, record: SoakRecord) -> str:
    """The younger of the web processes: of the oldest one the memory is watched."""
    web = family_of(site.supervisor).all("web")[-1:]
    record.cuts.append(time.monotonic())
    return _kill(web)


def kill_database(site: Site, record: SoakRecord) -> str:
    return _kill(family_of(site.supervisor).first("postgres"))


def kill_redis(site: Site, record: SoakRecord) -> str:
    return _kill(family_of(site.supervisor).first("redis"))


# --- Paused -------------------------------------------------------------------------------------------------------


@contextmanager
def _stopped(processes: Sequence[Process]) -> Iterator[None]:
    """They do nothing inside the block, and take no notice of anything."""
    if not processes:
        raise FaultNotPossible("it is not running")
    try:
        for process in processes:
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGSTOP)
        yield
    finally:
        for process in processes:
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGCONT)


def _pause(processes: Sequence[Process], *, seconds: float = PAUSE_SECONDS) -> str:
    with _stopped(processes):
        time.sleep(seconds)
    return f"paused {len(processes)} processes for {seconds:.0f} s"


def pause_redis(site: Site, record: SoakRecord) -> str:
    return _pause(family_of(site.supervisor).all("redis"))


def pause_database(site: Site, record: SoakRecord) -> str:
    return _pause(family_of(site.supervisor).all("postgres"))


def pause_worker(site: Site, record: SoakRecord) -> str:
    return _pause(family_of(site.supervisor).all("worker"), seconds=20)


def pause_reader(site: Site, record: SoakRecord) -> str:
    return _pause(family_of(site.supervisor).all("reader"), seconds=20)


def pause_web(site: Site, record: SoakRecord) -> str:
    return _pause(family_of(site.supervisor).all("web")[-1:])


# --- Lost, full, spoilt -------------------------------------------------------------------------------------------


def drop_connections(site: Site, record: SoakRecord) -> str:
    """What an operator's restart of a pooler does to every session."""
    from django.db import DatabaseError, connection

    connection.close()  # an earlier fault may have broken it
    try:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            return f"dropped {cursor.fetchone()[0]} connections"
    except DatabaseError as error:
        raise FaultNotPossible(f"the database is away: {error}") from error
    finally:
        connection.close()


def fill_disk(site: Site, record: SoakRecord) -> str:
    """No room is left where uploads are kept, for twenty seconds."""
    if not site.has_own_disk:
        raise FaultNotPossible("no file system may be mounted here")
    filler = site.files / "filler"
    try:
        with suppress(OSError), filler.open("wb", buffering=0) as file:
            while file.write(bytes(PAGE)) == PAGE:
                pass
        time.sleep(20)
    finally:
        filler.unlink()
    return "filled the disk of the uploads for 20 s"


def spoil_receiver(site: Site, record: SoakRecord) -> str:
    """The receiver of webhooks answers with errors and nonsense, and is slow."""
    site.receiver.will_answer(500, 404, 302, 200, 503, body=b"\xff\x00<html>" * 100)
    site.receiver.is_slow = True
    time.sleep(PAUSE_SECONDS)
    site.receiver.is_slow = False
    return "the receiver answered with 500, 404, 302, 503 and garbage, and slowly"


def kill_backup(site: Site, record: SoakRecord) -> str:
    """A backup by command, killed in the middle."""
    from benchmarks.soak.backups import backup_command

    process = subprocess.Popen(backup_command(site), env=site.environment, stdout=subprocess.DEVNULL)
    time.sleep(3.5)
    is_alive = process.poll() is None
    process.kill()
    process.wait()
    return "killed a backup in the middle" if is_alive else "the backup was faster"


FAULTS: list[Fault] = [
    kill_worker,
    kill_reader,
    kill_reader_child,
    kill_web,
    kill_database,
    kill_redis,
    pause_redis,
    pause_database,
    pause_worker,
    pause_reader,
    pause_web,
    drop_connections,
    fill_disk,
    spoil_receiver,
    kill_backup,
]
