"""The commands of Lexibrarian, run as people run them: in a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[3] / "lexibrarian" / "src"


def lexi(root: Path, *arguments: str) -> str:
    """What `lexi` prints in this project. Raises `CalledProcessError`."""
    return _run("lexi", root, arguments)


def lexictl(root: Path, *arguments: str) -> str:
    """What `lexictl` prints in this project. Raises `CalledProcessError`."""
    return _run("lexictl", root, arguments)


def write_file(root: Path, path: str, text: str | bytes) -> Path:
    """A file of the project with exactly this text or these bytes."""
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text if isinstance(text, bytes) else text.encode())
    return place


def _run(name: str, root: Path, arguments: tuple[str, ...]) -> str:
    code = f"import sys; from lexibrarian.cli.{name} import main; sys.argv[0] = {name!r}; main()"
    environment = {**os.environ, "PYTHONPATH": str(_PACKAGE), "HOME": str(root.parent)}
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=root, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout
