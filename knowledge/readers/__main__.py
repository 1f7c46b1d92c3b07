"""The child process of `knowledge.readers.isolation.reader_process`: reads one file and writes its events as lines
of JSON.

Run by path, as `python -P .../readers/__main__.py PATH TYPE LIMITS PARENT [RESUME]`, never by hand. It gives up its
own powers before a byte of the document is read.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

_PR_SET_PDEATHSIG = 1
_CLONE_NEWUSER = 0x10000000
_CLONE_NEWNET = 0x40000000


def main(arguments: list[str]) -> None:
    path, source_type, limits, parent, *resume = arguments
    values = json.loads(limits)
    die_with_parent(int(parent))
    keep_priority()
    limit_resources(memory_bytes=values["memory_bytes"], cpu_seconds=values["cpu_seconds"], **_limits_of_ocr(values))
    disable_network()
    stub_project_package()
    for line in _encoded_events(Path(path), source_type, values, json.loads(resume[0]) if resume else None):
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
    # Nothing is left to save, and tearing down a large document can take as long as reading it.
    os._exit(0)


def die_with_parent(parent: int) -> None:
    """Be killed when the parent dies, so that a crashed worker leaves nothing behind."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def keep_priority() -> None:
    """Have the kernel give this session the priority of its process: it groups by session, and ours is a new one."""
    with suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(os.getpriority(os.PRIO_PROCESS, 0)))


def _limits_of_ocr(values: dict[str, Any]) -> dict[str, int]:
    """How far a reading that needs OCR can raise its limits; not at all where there is none."""
    if not values["ocr"]:
        return {}
    return {"most_memory_bytes": values["ocr_memory_bytes"], "most_cpu_seconds": values["ocr_cpu_seconds"]}


def limit_resources(
    *, memory_bytes: int, cpu_seconds: int, most_memory_bytes: int = 0, most_cpu_seconds: int = 0
) -> None:
    """Limits of the kernel: memory, processor time, no writing to files, few open files, no core dump. `most_…`: how
    far this process can raise them itself."""
    # The soft limit of processor time ends us with a signal of its own, which tells the parent why.
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, max(cpu_seconds, most_cpu_seconds) + 5))
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, max(memory_bytes, most_memory_bytes)))
    for limit, value in (
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, 32),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(limit, (value, value))


def disable_network() -> None:
    """No sockets: by the kernel where it lets us, and in Python everywhere."""
    libc = ctypes.CDLL(None)
    if libc.unshare(_CLONE_NEWNET) != 0 and os.getuid() != 0:
        libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET)

    def refuse(*_args: Any, **_options: Any) -> NoReturn:
        raise PermissionError("readers have no network")

    # The class itself stays: libraries subclass it when they are imported.
    socket.socket.__init__ = refuse  # type: ignore[method-assign]
    socket.socket.connect = refuse  # type: ignore[method-assign]
    socket.getaddrinfo = refuse


def stub_project_package() -> None:
    """Let `lexic.errors` be imported without `lexic/__init__.py`, which starts Celery: 150 ms and 25 MB."""
    package = ModuleType("lexic")
    package.__path__ = [str(Path(__file__).resolve().parents[2] / "lexic")]
    sys.modules["lexic"] = package


def _encoded_events(
    path: Path, source_type: str, limits: dict[str, Any], resume: dict[str, Any] | None
) -> Iterator[bytes]:
    # Imported only now that the process has given up its powers.
    from knowledge.readers import read
    from knowledge.readers.isolation.event_protocol import encode_end, encode_error, encode_event
    from knowledge.readers.types import Limits, OutOfMemory, ReadingPoint, UnreadableDocument

    point = ReadingPoint(**resume) if resume else None
    try:
        for event in read(path, source_type=source_type, limits=Limits(**limits), resume=point):
            yield encode_event(event)
        yield encode_end()
    except UnreadableDocument as error:
        yield encode_error(error)
    except MemoryError:
        yield encode_error(OutOfMemory())


if __name__ == "__main__":
    main(sys.argv[1:])
