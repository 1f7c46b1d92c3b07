"""A process that has the readers loaded and forks a child for each file, which takes a tenth of starting one.

Run by path, as `python -P .../fork_server.py SOCKET PARENT`, never by hand; `child_process` is its other side. It never
opens a document and reads nothing that a child writes. A child runs the program that is asked for
(`readers/__main__.py`) as a new interpreter would: in a session, a folder and with pipes of its own, and the program
gives up its powers before it opens the document. Each child has a socket to whoever asked for it. There the server says
how the child ended; when the asker closes it, or dies, the server kills the child.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import resource
import runpy
import select
import signal
import socket
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

MAX_REQUEST_BYTES = 1024 * 1024
# What nearly every reading needs. Nothing that starts threads, of which a fork would take none along.
_PRELOADED = (
    "base64",
    "tempfile",
    "knowledge.readers",
    "knowledge.readers.isolation.event_protocol",
    "knowledge.readers.docx.reader",
    "knowledge.readers.html",
    "knowledge.readers.json",
    "knowledge.readers.markdown",
    "knowledge.readers.pdf.reader",
    "knowledge.readers.sheets.csv",
    "knowledge.readers.text",
)
_PARENT_POLL_SECONDS = 5.0
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE = 1, 4


class _Server:
    def __init__(self, requests: socket.socket, parent: int) -> None:
        self._requests = requests
        self._parent = parent
        self._children: dict[int, socket.socket] = {}
        self._killed: set[int] = set()
        self._is_closed = False
        self._woken, self._wake = os.pipe()
        os.set_blocking(self._woken, False)
        os.set_blocking(self._wake, False)

    def serve(self) -> None:
        """Returns when the process that asks is gone, or asks no more and the last child has ended."""
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wake, warn_on_full_buffer=False)
        while os.getppid() == self._parent and (self._children or not self._is_closed):
            waited_for: list[Any] = [asker for child, asker in self._children.items() if child not in self._killed]
            waited_for += [self._woken] if self._is_closed else [self._woken, self._requests]
            ready = select.select(waited_for, [], [], _PARENT_POLL_SECONDS)[0]
            if self._woken in ready:
                os.read(self._woken, 4096)
                self._report_ended()
            self._kill_unwanted(ready)
            if self._requests in ready:
                self._take_request()

    def _take_request(self) -> None:
        message, descriptors, _, _ = socket.recv_fds(self._requests, MAX_REQUEST_BYTES, 3)
        if not message:
            self._is_closed = True
            return
        request = json.loads(message)
        output, errors, status = descriptors
        child = os.fork()
        if child == 0:
            os.close(status)
            self._become(request, output, errors)
        os.close(output)
        os.close(errors)
        asker = self._children[child] = socket.socket(fileno=status)
        with suppress(OSError):
            asker.send(json.dumps(child).encode())

    def _become(self, request: dict[str, Any], output: int, errors: int) -> NoReturn:
        """In the child: be the program, as a new interpreter would be."""
        code = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.setsid()
            os.chdir(request["folder"])
            os.dup2(output, 1)
            os.dup2(errors, 2)
            os.closerange(3, 4096)
            _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            _prctl(_PR_SET_DUMPABLE, 1)
            sys.argv = [request["program"], *request["arguments"], str(os.getppid()), *request["more"]]
            runpy.run_path(request["program"], run_name="__main__")
            code = 0
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
        except BaseException:
            traceback.print_exc()
        with suppress(BaseException):
            sys.stdout.flush()
        os._exit(code)

    def _report_ended(self) -> None:
        own_peak = _peak_kilobytes()
        while self._children:
            child, status, usage = os.wait4(-1, os.WNOHANG)
            if child == 0:
                return
            self._killed.discard(child)
            with suppress(OSError), self._children.pop(child) as asker:
                asker.send(json.dumps([os.waitstatus_to_exitcode(status), usage.ru_maxrss, own_peak]).encode())

    def _kill_unwanted(self, ready: list[Any]) -> None:
        """An asker writes nothing: there is something to read when they have closed their end."""
        for child, asker in self._children.items():
            if asker in ready:
                self._killed.add(child)
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)  # it may not have a session of its own yet
                    os.killpg(child, signal.SIGKILL)


def _peak_kilobytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _prctl(option: int, value: int) -> None:
    ctypes.CDLL(None).prctl(option, value)


def _load_readers() -> None:
    package = ModuleType("lexic")  # its __init__ starts Celery
    package.__path__ = [str(Path(__file__).resolve().parents[3] / "lexic")]
    sys.modules["lexic"] = package
    for name in _PRELOADED:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()


def main(descriptor: str, parent: str) -> None:
    requests = socket.socket(fileno=int(descriptor))
    gc.disable()
    _load_readers()
    gc.enable()
    _prctl(_PR_SET_DUMPABLE, 0)  # its children may not look into it
    _Server(requests, int(parent)).serve()


if __name__ == "__main__":
    main(*sys.argv[1:])
    os._exit(0)
