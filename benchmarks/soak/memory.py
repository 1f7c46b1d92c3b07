"""Whether memory stays flat: samples of every process, and the slope of those that lived long enough."""

from __future__ import annotations

import statistics
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from benchmarks.soak.processes import Process, family_of
from benchmarks.soak.record import SoakRecord

PERIOD_SECONDS = 10.0
WARM_UP_SHARE = 0.5  # of a process's life, in which models are loaded and caches fill
MIN_SECONDS = 1500.0  # of the life of a process whose slope says something
MAX_SLOPE = 60.0  # megabytes an hour
MAX_GROWTH = 12.0  # megabytes: less is noise, whatever the slope
MAX_NEW_FILES = 40
WATCHED = ("web", "worker", "reader", "reviewer", "redis")


@dataclass
class MemoryLog:
    """By process: moments (monotonic seconds), megabytes, open files."""

    samples: dict[Process, list[tuple[float, float, int]]] = field(default_factory=lambda: defaultdict(list))

    def watch(self, supervisor: int, record: SoakRecord) -> None:
        """Takes samples until the soak is over."""
        while not record.is_over.wait(PERIOD_SECONDS):
            now = time.monotonic()
            for process in family_of(supervisor).processes:
                megabytes = process.anonymous_megabytes
                if process.role in WATCHED and megabytes is not None:
                    self.samples[process].append((now, megabytes, process.open_files))

    def judge(self, record: SoakRecord) -> list[dict[str, Any]]:
        """The processes that lived long enough, and a violation for each that grows."""
        found = []
        for process, samples in self.samples.items():
            if samples[-1][0] - samples[0][0] >= MIN_SECONDS:
                found.append(figures := slope_of(process, samples))
                if figures["megabytes an hour"] > MAX_SLOPE and figures["grown by"] > MAX_GROWTH:
                    record.add_violation(f"the memory of {process.role} {process.pid} grows: {figures}")
                if figures["new open files"] > MAX_NEW_FILES:
                    record.add_violation(f"{process.role} {process.pid} opens more and more files: {figures}")
        return sorted(found, key=lambda figures: -figures["megabytes an hour"])


def slope_of(process: Process, samples: list[tuple[float, float, int]]) -> dict[str, Any]:
    """Of the straight line through the samples after the warm-up."""
    first = samples[0][0] + WARM_UP_SHARE * (samples[-1][0] - samples[0][0])
    times, sizes, files = zip(*[sample for sample in samples if sample[0] >= first], strict=True)
    slope = statistics.linear_regression(times, sizes).slope
    return {
        "process": f"{process.role} {process.pid}{' (child)' if process.is_child else ''}",
        "minutes": round((samples[-1][0] - samples[0][0]) / 60, 1),
        "megabytes": round(sizes[-1], 1),
        "megabytes an hour": round(slope * 3600, 1),
        "grown by": round(slope * (times[-1] - times[0]), 1),
        "new open files": files[-1] - files[0],
    }
