"""What every system is measured by, in its own environment: only the standard library is needed here.

A system is an object with `ingest(paths)` (the texts of the chunks) and `search(text) -> list[str]` (the texts of
the eight best). A script gives one to `run`, which reads what to do from the file that is named on the command line and
prints one JSON object.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

THREADS = 8
# Of each chunk, what sentence-transformers gives all-MiniLM-L6-v2 to read, less the two special tokens.
TOKENS_READ = 254


class System(Protocol):
    def ingest(self, paths: Sequence[Path]) -> Sequence[str]: ...

    def search(self, text: str) -> list[str]: ...


def run(make: Callable[[dict[str, Any]], System]) -> None:
    task = json.loads(Path(sys.argv[1]).read_text())
    clock = ProcessorClock(task.get("server"))
    if task["phase"] == "first":
        found = measure_first(make(task), task)
    elif task["phase"] == "ingest":
        found = measure_ingest(make(task), task, clock)
    else:
        found = measure_search(make(task), task, clock)
    print(json.dumps(found | {"peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))


def measure_ingest(system: System, task: dict[str, Any], clock: ProcessorClock) -> dict[str, float]:
    paths = sorted(Path(task["folder"]).iterdir())
    spent, begun = clock.seconds(), time.perf_counter()
    chunks = system.ingest(paths)
    seconds, spent = time.perf_counter() - begun, clock.seconds() - spent
    embedded = embedded_characters(
        chunks, model=Path(task["model"]), tokens=getattr(system, "tokens_read", TOKENS_READ)
    )
    found = {"chunks": len(chunks), "embedded_kilobytes": embedded / 1024}
    return found | {"seconds": seconds, "processor_seconds": spent}


def embedded_characters(chunks: Sequence[str], *, model: Path, tokens: int | None) -> int:
    """How much of the chunks the model has read: of each so many tokens and no more, or all of it."""
    if tokens is None:
        return sum(map(len, chunks))
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    encodings = tokenizer.encode_batch(list(chunks), add_special_tokens=False)
    return sum(encoding.offsets[:tokens][-1][1] for encoding in encodings if encoding.offsets)


def measure_search(system: System, task: dict[str, Any], clock: ProcessorClock) -> dict[str, float]:
    questions = task["questions"]
    for question in questions[:5]:
        system.search(question["text"])
    alone = questions[5 : 5 + len(questions) // 4]
    waits, right = [], 0
    spent = clock.seconds()
    for question in alone:
        begun = time.perf_counter()
        texts = system.search(question["text"])
        waits.append(1000 * (time.perf_counter() - begun))
        right += any(question["rule"] in " ".join(text.split()) for text in texts)
    spent_alone = clock.seconds() - spent
    many = questions[5 + len(alone) :]
    spent, begun = clock.seconds(), time.perf_counter()
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(lambda question: system.search(question["text"]), many))
    seconds, spent = time.perf_counter() - begun, clock.seconds() - spent
    return {
        "p50_ms": statistics.median(waits),
        "processor_ms": 1000 * spent_alone / len(alone),
        "found_share": right / len(alone),
        "threads_per_second": len(many) / seconds,
        "threads_processor_ms": 1000 * spent / len(many),
    }


def measure_first(system: System, task: dict[str, Any]) -> dict[str, float]:
    """The first answer of a process. Its processor time counts from the process's beginning."""
    system.search(task["questions"][0]["text"])
    return {"processor_seconds": time.process_time()}


class ProcessorClock:
    """Processor seconds of this process, of what it has begun, and of the database server with what that has begun."""

    def __init__(self, server: int | None) -> None:
        self._server = server

    def seconds(self) -> float:
        own = resource.getrusage(resource.RUSAGE_SELF)
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        total = own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime
        return total + _of_running(os.getpid()) + (self.server_seconds() if self._server else 0.0)

    def server_seconds(self) -> float:
        assert self._server
        return _seconds(self._server) + _of_running(self._server)


def _of_running(parent: int) -> float:
    """Of the processes that this one, and those, have begun and that run still."""
    parents = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and (fields := _fields(int(folder.name))):
            parents[int(folder.name)] = int(fields[1])
    family, more = {parent}, {parent}
    while more:
        more = {one for one, its_parent in parents.items() if its_parent in more} - family
        family |= more
    return sum(map(_seconds, family - {parent}))


def _seconds(process: int) -> float:
    """With those of its children that have ended."""
    fields = _fields(process)
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK") if fields else 0.0


def _fields(process: int) -> list[str]:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:  # it has ended meanwhile
        return []
