"""Packages of published clients and generators. They are installed once, under `var/tests`, from the package indexes.

A test that needs them is skipped where they cannot be installed: it takes Node 20, npm and the package indexes.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests import prepared

_FOLDER = prepared.KEPT / "client-packages"


def run(
    *command: str | Path, cwd: Path | None = None, stdin: str | None = None, env: Mapping[str, str] | None = None
) -> str:
    """What the command writes to standard output. It has to succeed. `env`: variables beside those of the tests."""
    done = subprocess.run(
        command,
        cwd=cwd,
        env=None if env is None else {**os.environ, **env},
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def installed(name: str, packages: tuple[str, ...], *commands: list[str | Path]) -> Path:
    """The folder with these packages. It is made by the commands, once; skips the test where they fail."""
    folder = _FOLDER / name
    made = folder / "packages.json"
    if not made.exists() or json.loads(made.read_text()) != list(packages):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for command in commands:
            try:
                done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
            except OSError as error:
                pytest.skip(f"{command[0]} is not on this machine: {error}")
            if done.returncode:
                pytest.skip(f"{' '.join(packages)} cannot be installed here: {done.stderr[-300:]}")
        made.write_text(json.dumps(list(packages)))
    return folder


def python_with(package: str) -> Path:
    """The Python of an environment with this package (`name==version`) alone."""
    venv: list[str | Path] = [sys.executable, "-m", "venv", "venv"]
    pip: list[str | Path] = ["venv/bin/python", "-m", "pip", "--quiet", "--no-input", "install", package]
    name = re.sub(r"[^a-z0-9]+", "-", package)
    return installed(name, (package,), venv, pip) / "venv" / "bin" / "python"


def npm_installed(name: str, packages: tuple[str, ...], *options: str) -> Path:
    """The `node_modules` with these packages of npm."""
    npm: list[str | Path] = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-save"]
    return installed(name, packages, [*npm, "--prefer-offline", *options, *packages]) / "node_modules"


def made_once(name: str, make: Callable[[Path], object], *deciding: str) -> Path:
    """The folder that `make` has filled. It is kept until one of the texts that decide what is in it changes; a `make`
    that fails keeps nothing."""
    kept = _FOLDER / f"{name}-{hashlib.sha256(json.dumps(deciding).encode()).hexdigest()[:16]}"
    if not kept.exists():
        _FOLDER.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix="unfinished-", dir=_FOLDER))
        try:
            make(unfinished)
            unfinished.rename(kept)
        except OSError:
            if not kept.exists():  # else another run has made it meanwhile
                raise
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
        prepared.remove_older(f"{_FOLDER.name}/{name}-*", but=kept)
    return kept
