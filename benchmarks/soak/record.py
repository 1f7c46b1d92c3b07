"""What the soak has seen so far: written by all threads, read by the checker and by the report."""

from __future__ import annotations

import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any

CUT_SLACK_SECONDS = 0.5


@dataclass(frozen=True, kw_only=True)
class Answered:
    """An answer as a client got it: the plugin that was asked, and the answer's JSON."""

    plugin: str
    body: dict[str, Any]
    at: float  # monotonic seconds


@dataclass(kw_only=True)
class SoakRecord:
    """`violations` is what must never happen; `cuts` are the moments at which the soak itself killed a web process."""

    began: float = field(default_factory=time.monotonic)
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    seconds: dict[str, list[float]] = field(default_factory=dict)
    violations: list[str] = field(default_factory=list)
    faults: list[dict[str, Any]] = field(default_factory=list)
    cuts: list[float] = field(default_factory=list)
    answers: SimpleQueue[Answered] = field(default_factory=SimpleQueue)
    uploaded: dict[str, str] = field(default_factory=dict)  # the document's id, by the name of its file
    deleted: set[str] = field(default_factory=set)
    runs: set[str] = field(default_factory=set)
    answered_ids: set[str] = field(default_factory=set)
    checks: Counter[str] = field(default_factory=Counter)
    is_over: threading.Event = field(default_factory=threading.Event)

    def add_violation(self, what: str) -> None:
        """Notes it with the time since the beginning, once."""
        line = f"{time.monotonic() - self.began:7.1f} s  {what}"
        if not any(earlier.endswith(what) for earlier in self.violations):
            self.violations.append(line)
            print(f"VIOLATION {line}", flush=True)

    def add_outcome(self, kind: str, outcome: str, *, seconds: float) -> None:
        self.outcomes[kind, outcome] += 1
        self.seconds.setdefault(kind, []).append(seconds)

    def add_answer(self, plugin: str, body: dict[str, Any]) -> None:
        """For the checker, which looks at every citation and for the row in the log of questions."""
        self.answered_ids.add(body["queryId"])
        self.answers.put(Answered(plugin=plugin, body=body, at=time.monotonic()))

    def was_cut(self, begun: float, ended: float) -> bool:
        """Whether a web process was killed while this request was under way."""
        return any(begun - CUT_SLACK_SECONDS <= at <= ended for at in self.cuts)
