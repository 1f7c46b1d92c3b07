"""A management command as a process of its own, which stops itself in the middle and can be killed there, or go on.

    with held_command("sync", "boots", folder, at="knowledge.sync.apply_plan:_write_batch", call=2) as process:
        kill(process)          # or `let_go_on(process)`

The process stops all of its threads (SIGSTOP) when the function is called for the so-manieth time, before it works.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.db import connection

from tests.worker_processes import kill

_HELD = b"held\n"


@contextmanager
def held_command(
    *arguments: object, at: str, call: int = 1, constants: Mapping[str, Any] | None = None, **environment: str
) -> Iterator[subprocess.Popen[bytes]]:
    """The process, held at that call; dead after the block. `constants` are set in it before, as `module:NAME`."""
    plan = json.dumps({"at": at, "call": call, "constants": dict(constants or {}), "arguments": [*map(str, arguments)]})
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.faults.held_command", plan],
        cwd=settings.BASE_DIR,
        env=environment_of_tests() | environment,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        assert process.stdout
        said = process.stdout.readline()
        assert said == _HELD, f"the command ended before that call, and said {said + process.stdout.read()!r}"
        yield process
    finally:
        kill(process)
        assert process.stdout
        process.stdout.close()


def let_go_on(process: subprocess.Popen[bytes]) -> int:
    """Ends the pause, and waits for the end of the process. Returns its exit status."""
    os.kill(process.pid, signal.SIGCONT)
    return process.wait(120)


def environment_of_tests() -> dict[str, str]:
    """Of a process that works on this test's database and files."""
    return os.environ | {
        "LEXIC_TEST_DATABASE": str(connection.settings_dict["NAME"]),
        "LEXIC_FILES_DIR": str(settings.LEXIC_FILES_DIR),
        "DJANGO_SETTINGS_MODULE": "tests.settings",
    }


def _run(plan: dict[str, Any]) -> None:
    import django
    from django.core.management import call_command

    django.setup()
    for place, value in plan["constants"].items():
        module, name = place.split(":")
        setattr(importlib.import_module(module), name, value)
    _hold(plan["at"], call=plan["call"])
    call_command(*plan["arguments"])


def _hold(place: str, *, call: int) -> None:
    path, name = place.split(":")
    module, calls = importlib.import_module(path), 0
    really = getattr(module, name)

    def held(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == call:
            os.write(1, _HELD)
            os.kill(os.getpid(), signal.SIGSTOP)
        return really(*args, **kwargs)

    setattr(module, name, held)


if __name__ == "__main__":
    _run(json.loads(sys.argv[1]))
