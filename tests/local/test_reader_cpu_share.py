"""Readers give way, and get on all the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from local.reader_cpu_share import LeastShare, Scheduled, look_at_readers

SECOND = 10**9
NOBODY = "65534"
THERE_AND_BACK = """
import ctypes, os, sys, threading, time
from pathlib import Path
from local.process_priority import set_reader_priority

def shown():
    threads = {os.getpriority(os.PRIO_PROCESS, int(one.name)) for one in Path("/proc/self/task").iterdir()}
    return f"{sorted(threads)} {Path('/proc/self/autogroup').read_text().split()[-1]}"

if sys.argv[1:]:
    os.setuid(int(sys.argv[1]))
    ctypes.CDLL(None).prctl(4, 1)  # as a program that this user has started: its own files under /proc are its own
threading.Thread(target=threading.Event().wait, daemon=True).start()
for gives_way in (True, False, True):
    set_reader_priority(os.getpid(), gives_way=gives_way)
    print(shown())
    time.sleep(0.2)  # the kernel takes one change of a session in a tenth of a second
"""


def priorities(*user: str) -> list[str]:
    """Of the threads and of the session of a program that gives way, stops it, and gives way again."""
    program = [sys.executable, "-c", THERE_AND_BACK, *user]
    done = subprocess.run(
        program, cwd=settings.BASE_DIR, start_new_session=True, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


needs_sessions = pytest.mark.skipif(not Path("/proc/self/autogroup").exists(), reason="this kernel has no sessions")


@needs_sessions
@pytest.mark.skipif(os.geteuid() != 0, reason="only root may raise a process")
def test_a_reader_with_the_right_is_lowered_and_raised() -> None:
    assert priorities() == ["[10] 10", "[0] 0", "[10] 10"]


@needs_sessions
@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes somebody else")
def test_a_reader_without_the_right_is_lowered_less_and_its_session_is_raised() -> None:
    assert priorities(NOBODY) == ["[5] 10", "[5] 0", "[5] 10"]


class Kernel:
    """What the kernel says, and the priority that was asked for."""

    def __init__(self) -> None:
        self.threads = {1: (0, 0), 2: (0, 0)}
        self.changes: list[bool] = []

    def pass_time(self, *, ran: float, waited: float) -> None:
        for thread, (has_run, has_waited) in self.threads.items():
            self.threads[thread] = (has_run + int(ran * SECOND / 2), has_waited + int(waited * SECOND / 2))

    def look(self) -> Scheduled:
        return Scheduled(threads=dict(self.threads))


def test_who_wants_to_run_and_cannot_is_raised_until_the_next_look() -> None:
    kernel = Kernel()
    share = LeastShare(look=kernel.look, give_way=kernel.changes.append, seconds=5)
    for _ in range(4):  # a busy machine, for as long as it is busy
        kernel.pass_time(ran=0.1, waited=4.9)
        share.check()
    assert kernel.changes == [False, True, False, True]
    kernel.pass_time(ran=2, waited=3)
    share.check()
    assert kernel.changes == [False, True, False, True], "a tenth and more is enough"


@pytest.mark.parametrize(("ran", "waited"), [(0.0, 0.0), (0.01, 1.0), (0.5, 4.5), (5.0, 0.0)])
def test_who_has_nothing_to_do_or_gets_a_tenth_goes_on_giving_way(ran: float, waited: float) -> None:
    kernel = Kernel()
    share = LeastShare(look=kernel.look, give_way=kernel.changes.append, seconds=5)
    for _ in range(3):
        kernel.pass_time(ran=ran, waited=waited)
        share.check()
    assert kernel.changes == []


def test_threads_that_came_or_went_meanwhile_do_not_count() -> None:
    kernel = Kernel()
    share = LeastShare(look=kernel.look, give_way=kernel.changes.append, seconds=5)
    kernel.threads = {3: (0, 900 * SECOND)}
    share.check()
    assert kernel.changes == []


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="this kernel does not say it")
def test_the_kernel_says_how_long_a_process_and_its_children_have_run() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", "print(sum(range(10**7)), flush=True); input()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as child:
        assert child.stdout
        child.stdout.readline()
        found = look_at_readers().threads
        assert found[os.getpid()][0] > 0
        assert found[child.pid][0] > 0
        child.communicate(b"\n")
