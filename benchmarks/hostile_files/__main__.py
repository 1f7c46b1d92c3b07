"""What hostile files cost: `python -m benchmarks.hostile_files [NAME …]` (some minutes for all).

Makes each file, reads it in the sandbox as an upload is read (OCR included), and cuts what is read into chunks as the
worker does. Prints how that ended, the processor time and the peak memory of the child that read, and those of the
process around it. Ends with 1 where a file costs more than 60 s or 1.5 GB, or ends without a state and its reason.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.hostile_files.archives import Make
from benchmarks.hostile_files.other_formats import hostile_files
from knowledge.chunking.chunker import chunk_pages
from knowledge.readers import DETECTION_BYTES, detect_type
from knowledge.readers.isolation import reader_process
from knowledge.readers.isolation.child_process import start_process
from knowledge.readers.mail.message import MAX_ATTACHMENTS
from knowledge.readers.types import Limits, PageText, UnreadableDocument

MAX_SECONDS, MAX_MEGABYTES = 60, 1_536


@dataclass
class Cost:
    """Seconds of processor time and megabytes at the peak: of the child, and of the process around it."""

    name: str
    state: str
    seconds: float
    megabytes: int
    worker_seconds: float
    worker_megabytes: int
    wall: float

    def is_within_bounds(self) -> bool:
        within = self.seconds <= MAX_SECONDS and self.megabytes <= MAX_MEGABYTES
        return within and not self.state.startswith("died") and self.worker_megabytes <= MAX_MEGABYTES


def cost_of(name: str, make: Make) -> Cost:
    """Made in a process of its own, and read in another, so that neither counts for the other."""
    with tempfile.TemporaryDirectory(prefix="lexic-hostile-") as folder:
        path = Path(folder) / name
        _in_process(_write, make, path)
        return Cost(name=name, **(_in_process(_measured, path) or _died()))


def _died() -> dict[str, Any]:
    return {"state": "died", "seconds": 0, "megabytes": 0, "worker_seconds": 0, "worker_megabytes": 0, "wall": 0}


def _write(make: Make, path: Path) -> None:
    path.write_bytes(make())


def _measured(path: Path) -> dict[str, Any]:
    # The fork server would hide what one child costs.
    vars(reader_process)["fork_process"] = start_process
    began, own_before = time.perf_counter(), _seconds(resource.RUSAGE_SELF)
    state = _read(path)
    child = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "state": state,
        "seconds": round(_seconds(resource.RUSAGE_CHILDREN), 1),
        "megabytes": child.ru_maxrss // 1024,
        "worker_seconds": round(_seconds(resource.RUSAGE_SELF) - own_before, 1),
        "worker_megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "wall": round(time.perf_counter() - began, 1),
    }


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            source_type = detect_type(path.name, file.read(DETECTION_BYTES))
        events = reader_process.read_pages(path, source_type=source_type, limits=Limits(ocr=True))
        pages = [event for event in events if isinstance(event, PageText)]
        if source_type == "eml":
            list(_attachments(path))
    except UnreadableDocument as error:
        return f"{error.code}: {error.message}"
    characters = sum(len(page.text) for page in pages)
    chunks = len(chunk_pages(pages, [heading for page in pages for heading in page.headings]))
    return f"read: {len(pages)} pages, {characters:,} characters, {chunks:,} chunks"


def _attachments(path: Path) -> Iterator[Any]:
    from knowledge.readers.isolation.confined_call import confined_call

    found = confined_call("knowledge.readers.mail.attachments:read_attachments", path, arguments={})
    yield from (next(found, None) for _ in range(MAX_ATTACHMENTS))


def _seconds(who: int) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def _in_process(function: Any, *arguments: Any) -> Any:
    """What the function gives in a process of its own; None where that ends early."""
    context = multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)
    running = context.Process(target=lambda: sending.send(function(*arguments)))
    running.start()
    sending.close()
    try:
        return receiving.recv()
    except EOFError:
        return None
    finally:
        running.join()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="the files to make; all without any")
    parser.add_argument("--json", action="store_true", help="print one JSON object for each file")
    options = parser.parse_args()
    failed = 0
    for name, make in hostile_files():
        if options.names and name not in options.names:
            continue
        cost = cost_of(name, make)
        failed += not cost.is_within_bounds()
        if options.json:
            print(json.dumps(asdict(cost)), flush=True)
        else:
            worker = f"worker {cost.worker_seconds:5.1f} s {cost.worker_megabytes:5} MB"
            mark = " " if cost.is_within_bounds() else "!"
            print(f"{mark} {name:32} {cost.seconds:5.1f} s {cost.megabytes:5} MB, {worker}  {cost.state}", flush=True)
    return min(1, failed)


if __name__ == "__main__":
    sys.exit(main())
