"""Reads the settings as a process that has just started does. Each reading is a fork of one process that has loaded
what the package `lexic` loads, which takes ten times longer than the settings, and has read none of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_SHELL = {name: value for name, value in os.environ.items() if name in {"PATH", "HOME", "LANG", "TMPDIR"}}
# What follows the loop is what a fresh process would run, in the child alone.
_PROGRAM = """
import json, os, sys
import lexic

assert "lexic.settings" not in sys.modules
as_started = dict(os.environ)
for line in sys.stdin:
    asked = json.loads(line)
    if not (child := os.fork()):
        os.environ.clear()
        os.environ.update({**as_started, **asked["variables"]})
        for number, name in enumerate(("out", "err"), start=1):
            os.dup2(os.open(asked[name], os.O_WRONLY), number)
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    sys.exit()
from lexic import settings
exec(f"print({asked['show']})")
"""
_running: list[subprocess.Popen[str]] = []


@pytest.fixture(scope="module")
def reader_of_settings() -> Iterator[None]:
    """As long as it is there, `settings_with` works."""
    command = [sys.executable, "-c", _PROGRAM]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, cwd=ROOT, env=_SHELL, text=True, **pipes) as process:
        _running.append(process)
        yield
        _running.remove(process)
        process.communicate()


def settings_with(folder: Path, show: str = "'fine'", **variables: str) -> subprocess.CompletedProcess[str]:
    """Reads the settings with these variables, and prints one of them."""
    (process,) = _running
    assert process.stdin
    assert process.stdout
    with tempfile.NamedTemporaryFile() as out, tempfile.NamedTemporaryFile() as err:
        asked = {"show": show, "variables": {"LEXIC_VAR_DIR": str(folder), **variables}}
        process.stdin.write(f"{json.dumps({**asked, 'out': out.name, 'err': err.name})}\n")
        process.stdin.flush()
        code = int(process.stdout.readline())
        said = Path(out.name).read_text(), Path(err.name).read_text()
    return subprocess.CompletedProcess(show, code, *said)
