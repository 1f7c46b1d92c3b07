"""The supervisor with small parts of its own, in a process of its own (it takes over the signals)."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import textwrap
from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from local.console import Console, LineBuffer

ROOT = Path(__file__).resolve().parents[2]

PRELUDE = """
import signal, sys, time
from pathlib import Path
from local.console import Console
from lexic.errors import LexicError
from local.processes import ManagedProcess, PythonProgram
from local.supervisor import StopRequested, Supervisor

def part(name, code, **more):
    program = PythonProgram(arguments=("-c", code), folder=Path("."))
    return ManagedProcess(name=name, spawn=program.spawn, owns_process_group=True, **more)

def run(*parts):
    try:
        with Supervisor(Console(sys.stdout)) as supervisor:
            for one in parts:
                supervisor.start(one)
            supervisor.keep_running()
    except StopRequested:
        print("stopped", flush=True)
    except LexicError as error:
        print(f"{error.code}: {error.message}", flush=True)
"""


def start(body: str, **popen: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PRELUDE + textwrap.dedent(body)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **popen,
    )


def test_output_is_prefixed_and_carries_no_terminal_codes() -> None:
    supervisor = start(r"""
        run(part("one", "import time; print('a\x1b[31mb\\nlast', end='', flush=True); time.sleep(60)"),
            part("two", "import time; print('c', flush=True); time.sleep(60)"))
    """)
    assert supervisor.stdout
    lines = [supervisor.stdout.readline() for _ in range(2)]
    supervisor.send_signal(signal.SIGINT)
    rest, _ = supervisor.communicate(timeout=30)
    assert sorted(lines) == ["     one | a[31mb\n", "     two | c\n"]
    assert rest == "     one | last\nstopped\n"


def test_a_part_that_ends_again_and_again_stops_everything() -> None:
    output = start("""run(part("calm", "import time; time.sleep(60)"), part("bad", "raise SystemExit(3)"))""")
    text, _ = output.communicate(timeout=60)
    assert "crash_loop: bad ended 5 times within a minute, the last time with code 3." in text
    assert text.count("starting it again") == 4


def test_a_second_ctrl_c_kills_what_will_not_stop() -> None:
    stubborn = "import signal, time; signal.signal(signal.SIGTERM, lambda *_: print('no', flush=True))\n"
    stubborn += "print('ready', flush=True)\nwhile True: time.sleep(1)"
    supervisor = start(f"""run(part("mule", {stubborn!r}, stop_seconds=60))""")
    assert supervisor.stdout
    assert "ready" in supervisor.stdout.readline()
    supervisor.send_signal(signal.SIGINT)
    assert "no" in supervisor.stdout.readline()
    # Not an echo of the first: a person's second thought.
    end = supervisor.stdout
    while supervisor.poll() is None:
        supervisor.send_signal(signal.SIGINT)
        try:
            supervisor.wait(0.5)
        except subprocess.TimeoutExpired:
            continue
    assert "stopped" in end.read()
    end.close()


def test_signals_are_heard_although_a_shell_ignored_them() -> None:
    def ignore() -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    supervisor = start(
        """run(part("one", "import time; print('ready', flush=True); time.sleep(60)"))""", preexec_fn=ignore
    )
    assert supervisor.stdout
    supervisor.stdout.readline()
    supervisor.send_signal(signal.SIGINT)
    assert supervisor.communicate(timeout=30)[0].endswith("stopped\n")


def test_it_stops_when_nobody_reads_its_output() -> None:
    supervisor = start("""run(part("chat", "import time\\nwhile True: print('x', flush=True); time.sleep(.05)"))""")
    assert supervisor.stdout
    supervisor.stdout.readline()
    supervisor.stdout.close()
    supervisor.wait(30)


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=5))
def test_lines_are_the_same_however_the_bytes_arrive(data: bytes, cuts: list[int]) -> None:
    buffer = LineBuffer()
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    found = [line for first, last in pairwise(places) for line in buffer.feed(data[first:last])]
    found += buffer.end()
    whole = data.split(b"\n")
    expected = [line.decode(errors="replace").rstrip("\r") for line in whole[:-1]]
    assert found == expected + ([whole[-1].decode(errors="replace")] if whole[-1] else [])


def test_a_terminal_that_went_away_is_noticed() -> None:
    reader, writer = os.pipe()
    with os.fdopen(writer, "w") as stream:
        console = Console(stream)
        os.close(reader)
        console.print_message("anybody?")
        assert console.is_broken
        console.print_message("no")  # and this is no error


def test_names_are_coloured_only_for_people() -> None:
    stream = io.StringIO()
    Console(stream, coloured=True).print_line("web", "hello")
    Console(stream).print_line("web", "hello")
    assert stream.getvalue() == "\x1b[36m     web |\x1b[0m hello\n     web | hello\n"
