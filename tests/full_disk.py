"""A disk on which nothing more fits."""

from __future__ import annotations

import gc
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of 64 kB with 0 bytes left. Skipped where nothing may be mounted."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        with (folder / "filler").open("wb", buffering=0) as filler:
            while filler.write(bytes(4096)) == 4096:
                pass
    except OSError:
        pass
    yield folder
    gc.collect()  # what Django left open there is closed while the folder is
    subprocess.run(["umount", "-l", str(folder)], check=True)
