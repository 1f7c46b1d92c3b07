"""Functions for a confined child to call."""

from __future__ import annotations

import os
import resource
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from lexic.errors import Conflict


def powers(path: Path, folder: str) -> Iterator[str]:
    """The name of the error of each thing that a confined child may not do, or “allowed”."""
    yield _try(lambda: socket.create_connection(("127.0.0.1", 9)))
    yield _try(lambda: socket.getaddrinfo("localhost", 80))
    yield _try(lambda: (Path(folder) / "x").open("wb", buffering=0).write(b"x"))
    yield _try(lambda: bytearray(2_000 << 20))


def surroundings(path: Path) -> Iterator[Any]:
    yield sorted(name for name in ("celery", "django") if name in sys.modules)
    yield "OPENAI_API_KEY" in os.environ
    yield resource.getrlimit(resource.RLIMIT_FSIZE)[0]


def echo(path: Path, **arguments: Any) -> Iterator[Any]:
    yield path.read_text()
    yield arguments


def refuse(path: Path) -> Iterator[Any]:
    yield "begun"
    raise Conflict("It is taken.", hint="Take another.")


def fall_silent(path: Path) -> Iterator[Any]:
    yield "begun"
    os._exit(3)


def fill_memory(path: Path) -> Iterator[Any]:
    yield len(bytearray(2_000 << 20))


def _try(action: Callable[[], object]) -> str:
    try:
        action()
    except (OSError, MemoryError) as error:
        return type(error).__name__
    return "allowed"
