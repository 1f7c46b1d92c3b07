"""The only way to run a parser: in a child process that has limits and can be killed.

Documents are hostile until read. The child has no network, no environment, no files to write, and limits on memory and
time that the kernel enforces; see `readers/__main__.py` for its side. It sends one line of JSON for each page, so that
the caller sees progress, and ends when the caller stops reading.
"""

from __future__ import annotations

import json
import logging
import os
import selectors
import signal
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import asdict
from itertools import islice
from pathlib import Path

from knowledge.readers.isolation.child_process import Job, ServerLost, fork_process, start_process
from knowledge.readers.isolation.event_protocol import decode_event
from knowledge.readers.isolation.rendered_page import RenderedPage, decode_rendered_page
from knowledge.readers.types import (
    MEGABYTE,
    DamagedDocument,
    Limits,
    OutOfMemory,
    PageText,
    ReaderEvent,
    ReadingPoint,
    ReadingTimedOut,
    TooLarge,
    UnreadableDocument,
)

logger = logging.getLogger(__name__)

MAX_LINE_BYTES = 64 * MEGABYTE
MAX_OUTPUT_BYTES = 1024 * MEGABYTE
# A person waits for the picture.
RENDER_LIMITS = Limits(memory_bytes=800 * MEGABYTE, cpu_seconds=8, stall_seconds=12.0)
_MAX_STDERR_BYTES = 4_000
_PIPE_READ_BYTES = 256 * 1024
_READER_ENTRY = Path(__file__).parent.parent / "__main__.py"
_RENDERER_ENTRY = Path(__file__).parent / "page_renderer.py"

# PDFium ends with one of these when it is refused memory; a plain crash looks the same but for its size.
_CRASH_SIGNALS = frozenset({signal.SIGABRT, signal.SIGSEGV, signal.SIGTRAP, signal.SIGILL, signal.SIGBUS})
_OUT_OF_MEMORY_SHARE = 0.2


def read_pages(
    path: Path, *, source_type: str, limits: Limits | None = None, resume: ReadingPoint | None = None
) -> Generator[ReaderEvent]:
    """Read a document in a child process: a `DocumentHeader`, then every `PageText` in order, after that of `resume`.

    `source_type` is what `readers.detect_type` gave. Raises `UnreadableDocument`, possibly after some pages: those
    are right, but the document as a whole must not count as read. Closing the iterator kills the child.
    """
    limits, given = limits or Limits(), 0
    with tempfile.TemporaryDirectory(prefix="lexic-reader-") as folder:
        try:
            for event in _read_in_child(path, source_type, limits, folder, resume=resume, is_forked=True):
                yield event
                given += 1
        except ServerLost:  # not the fault of this document: it is read again, by a child that needs no server
            again = _read_in_child(path, source_type, limits, folder, resume=resume, is_forked=False)
            with closing(again):
                yield from islice(again, given, None)


def _read_in_child(
    path: Path, source_type: str, limits: Limits, folder: str, *, resume: ReadingPoint | None, is_forked: bool
) -> Generator[ReaderEvent]:
    child = ReaderProcess(path.resolve(), source_type, limits, folder, resume=resume, is_forked=is_forked)
    try:
        with closing(child.lines()) as lines:
            yield from _decoded_events(lines, child, first=resume.page + 1 if resume else 1)
    finally:
        child.kill()


def render_page(path: Path, *, number: int, limits: Limits | None = None) -> RenderedPage:
    """One page of a PDF as pixels, drawn in a child process. Raises `UnreadableDocument`."""
    limits = limits or RENDER_LIMITS
    with tempfile.TemporaryDirectory(prefix="lexic-drawing-") as folder:
        child = ReaderProcess(path.resolve(), str(number), limits, folder, entry=_RENDERER_ENTRY)
        try:
            with closing(child.lines()) as lines:
                line = next(lines, None)
            if line is None:
                raise child.exit_error()
            return decode_rendered_page(line)
        finally:
            child.kill()


def _decoded_events(lines: Iterator[bytes], child: ReaderProcess, *, first: int) -> Iterator[ReaderEvent]:
    expected = first
    for line in lines:
        event = decode_event(line)
        if event is None:
            return
        if isinstance(event, PageText):
            if event.number != expected:
                raise DamagedDocument()
            expected += 1
        yield event
    # The lines ended without an end mark or an error: something killed the child.
    raise child.exit_error()


class ReaderProcess:
    """One reader process, its two pipes, and the clock that runs while a line of it is waited for."""

    def __init__(
        self,
        path: Path,
        what: str,
        limits: Limits,
        folder: str,
        *,
        entry: Path | None = None,
        resume: ReadingPoint | None = None,
        is_forked: bool = False,
    ) -> None:
        """`is_forked`: by the fork server, where there is one, and else started anew."""
        self._limits = limits
        self._waited = 0.0
        self._received = 0
        self._stderr = bytearray()
        job = Job(
            program=str(entry or _READER_ENTRY),
            arguments=[str(path), what, json.dumps(asdict(limits))],
            more=[json.dumps(asdict(resume))] if resume else [],
            folder=folder,
        )
        self._process = fork_process(job) if is_forked else start_process(job)

    def lines(self) -> Generator[bytes]:
        """What the child writes, line by line. Raises `ReadingTimedOut`, or `TooLarge` for a flood."""
        # The pieces of the line that has not ended: put together once, however long it grows.
        pieces: list[bytes] = []
        for chunk in self._chunks():
            *ends, rest = chunk.split(b"\n")
            if ends:
                self._waited = 0.0
            for end in ends:
                yield b"".join([*pieces, end])
                pieces.clear()
            pieces.append(rest)
            if sum(map(len, pieces)) > MAX_LINE_BYTES:
                raise TooLarge()

    def _chunks(self) -> Iterator[bytes]:
        assert self._process.stdout
        assert self._process.stderr
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            selector.register(self._process.stderr, selectors.EVENT_READ)
            while selector.get_map():
                for key in self._wait(selector):
                    chunk = os.read(key.fd, _PIPE_READ_BYTES)
                    if not chunk:
                        selector.unregister(key.fileobj)
                    elif key.fileobj is self._process.stderr:
                        self._stderr = (self._stderr + chunk)[-_MAX_STDERR_BYTES:]
                    else:
                        self._count(chunk)
                        yield chunk

    def _wait(self, selector: selectors.BaseSelector) -> list[selectors.SelectorKey]:
        started = time.monotonic()
        ready = selector.select(max(0.0, self._limits.stall_seconds - self._waited))
        self._waited += time.monotonic() - started
        if not ready:
            raise ReadingTimedOut()
        return [key for key, _ in ready]

    def _count(self, chunk: bytes) -> None:
        self._received += len(chunk)
        if self._received > MAX_OUTPUT_BYTES:
            raise TooLarge()

    def exit_error(self) -> UnreadableDocument:
        """The error that a child which ended without a word died of. Raises `ServerLost` where the server went."""
        end = self._process.wait_for_end()
        peak_bytes = end.peak_kilobytes * 1024
        logger.warning(
            "reader ended with %s at %d MB: %s",
            end.code,
            peak_bytes // MEGABYTE,
            self._stderr.decode("utf-8", errors="replace").strip(),
        )
        died_of = -end.code
        if died_of == signal.SIGXCPU:
            return ReadingTimedOut()
        if self._stderr.rstrip().endswith(b"MemoryError"):  # nothing was left to say so with
            return OutOfMemory()
        has_grown = end.peak_kilobytes > end.parent_peak_kilobytes
        is_full = has_grown and peak_bytes >= _OUT_OF_MEMORY_SHARE * self._limits.memory_bytes
        # A child that we did not kill was killed by the kernel, for want of memory.
        if died_of == signal.SIGKILL or (died_of in _CRASH_SIGNALS and is_full):
            return OutOfMemory()
        return DamagedDocument()

    def kill(self) -> None:
        """End the child and whatever it started. Safe to call at any time, more than once."""
        self._process.kill()
