"""Runs what a page of docs/ shows, against the real server."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from accounts.models import ApiKey, User
from lexic.celery import app
from plugins.models import Plugin
from tests.docs.pages import DOCS
from tests.sdk_ts.package import built, install
from tests.servers import asgi_server

SDK = DOCS.parent / "sdk"
ANSWER = "45 mm"  # what the question of the pages is answered with


@pytest.fixture
def environment(published: Plugin, alice: User, settings: Any) -> Iterator[dict[str, str]]:
    settings.RESUME_SECONDS = 30  # a program may be slow to come back
    Plugin.objects.update(slug="structural-engineering-concrete-cover")
    _, secret = ApiKey.objects.issue(owner=alice, name="agent", capabilities=["query", "author"])
    app.conf.task_always_eager = True  # the server is its own worker
    try:
        with asgi_server() as url:
            yield {
                "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
                "PYTHONPATH": str(SDK),
                "LEXIC_BASE_URL": url,
                "LEXIC_API_KEY": secret,
            }
    finally:
        app.conf.task_always_eager = False


def run_program(language: str, code: str, environment: dict[str, str]) -> str:
    """What a block of a page prints, in a process of its own. It has to succeed."""
    if language == "bash" and not shutil.which("curl"):
        pytest.skip("no curl on this machine")
    command = ["bash", "-euo", "pipefail", "-c", code] if language == "bash" else [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return done.stdout


def run_javascript(
    code: str, folder: Path, environment: dict[str, str], *, modules: Path | None, with_package: bool = False
) -> str:
    """The same for a program of JavaScript with these packages of npm, and with ours where it uses it."""
    if not shutil.which("node"):
        pytest.skip("no Node on this machine")
    if modules and with_package:
        install(built(), modules, folder / "node_modules")
    elif modules:
        (folder / "node_modules").symlink_to(modules)
    (folder / "program.mjs").write_text(code)
    command = ["node", folder / "program.mjs"]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=120, check=False, cwd=folder
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return done.stdout
