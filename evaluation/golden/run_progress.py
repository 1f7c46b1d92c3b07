"""The progress of a run of golden questions: written by the worker, read by whoever waits. Kept only while it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TypeVar
from uuid import UUID

from django.core.cache import cache
from django.utils import timezone

T = TypeVar("T")

# A worker that lives takes a run up, or asks the next question, well within this.
STALL_TIMEOUT = timedelta(seconds=60)
_CACHE_SECONDS = 3600
_STARTS_SECONDS = 24 * 3600


@dataclass(frozen=True, kw_only=True)
class GoldenRunProgress:
    """`started` once a worker has it; `failed` is the sentence with which it ended early, else empty."""

    total: int
    done: int = 0
    started: bool = False
    last_update_at: datetime
    failed: str = ""

    @property
    def is_stalled(self) -> bool:
        """Whether nothing has happened for so long that a worker may be missing."""
        return timezone.now() - self.last_update_at > STALL_TIMEOUT


def get_progress(plugin_id: UUID) -> GoldenRunProgress | None:
    """None: nothing runs, nor ended early since the last one."""
    found: GoldenRunProgress | None = cache.get(_progress_cache_key(plugin_id))
    return found


def start_progress(plugin_id: UUID, *, total: int) -> None:
    clear_starts(plugin_id)
    _store_progress(plugin_id, GoldenRunProgress(total=total, last_update_at=timezone.now()))


def count_start(plugin_id: UUID) -> int:
    """How many workers have begun since it was asked for, with this one. Call with the lease of the run."""
    starts = int(cache.get(_starts_cache_key(plugin_id), 0)) + 1
    cache.set(_starts_cache_key(plugin_id), starts, _STARTS_SECONDS)
    return starts


def clear_starts(plugin_id: UUID) -> None:
    """The run has ended by itself, or is asked for anew."""
    cache.delete(_starts_cache_key(plugin_id))


def fail_progress(plugin_id: UUID, sentence: str) -> None:
    before = get_progress(plugin_id) or GoldenRunProgress(total=0, last_update_at=timezone.now())
    _store_progress(plugin_id, replace(before, last_update_at=timezone.now(), failed=sentence))


def clear_progress(plugin_id: UUID) -> None:
    cache.delete(_progress_cache_key(plugin_id))


def track_questions(plugin_id: UUID) -> Callable[[Sequence[T]], Iterable[T]]:
    """What `run_golden` takes as `with_progress`: the questions as they come, each noted when it is answered."""

    def with_progress(questions: Sequence[T]) -> Iterator[T]:
        for done, question in enumerate(questions):
            _update_progress(plugin_id, done=done, total=len(questions))
            yield question
        _update_progress(plugin_id, done=len(questions), total=len(questions))

    return with_progress


def _update_progress(plugin_id: UUID, *, done: int, total: int) -> None:
    _store_progress(plugin_id, GoldenRunProgress(total=total, done=done, started=True, last_update_at=timezone.now()))


def _store_progress(plugin_id: UUID, progress: GoldenRunProgress) -> None:
    cache.set(_progress_cache_key(plugin_id), progress, _CACHE_SECONDS)


def _progress_cache_key(plugin_id: UUID) -> str:
    return f"golden-run:{plugin_id}"


def _starts_cache_key(plugin_id: UUID) -> str:
    return f"golden-starts:{plugin_id}"
