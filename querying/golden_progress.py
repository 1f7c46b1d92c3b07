"""How far a run of golden questions is: told by the worker, read by whoever waits. Kept only while it lasts."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TypeVar
from uuid import UUID

from django.core.cache import cache
from django.utils import timezone
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)
T = TypeVar("T")

# A worker that lives takes a run up, or asks the next question, well within this.
QUIET = timedelta(seconds=20)
_KEPT_SECONDS = 3600


@dataclass(frozen=True, kw_only=True)
class Progress:
    """`started` once a worker has it; `failed` is the sentence with which it ended early, else empty."""

    total: int
    done: int = 0
    started: bool = False
    moved_at: datetime
    failed: str = ""

    @property
    def is_quiet(self) -> bool:
        """Whether nothing has happened for so long that a worker may be missing."""
        return timezone.now() - self.moved_at > QUIET


def read(plugin_id: UUID) -> Progress | None:
    """None: nothing runs, nor ended early since the last one."""
    found: Progress | None = _safely(lambda: cache.get(_key(plugin_id)))
    return found


def asked(plugin_id: UUID, *, total: int) -> None:
    _write(plugin_id, Progress(total=total, moved_at=timezone.now()))


def failed(plugin_id: UUID, sentence: str) -> None:
    before = read(plugin_id) or Progress(total=0, moved_at=timezone.now())
    _write(plugin_id, replace(before, moved_at=timezone.now(), failed=sentence))


def over(plugin_id: UUID) -> None:
    _safely(lambda: cache.delete(_key(plugin_id)))


def watching(plugin_id: UUID) -> Callable[[Sequence[T]], Iterable[T]]:
    """What `run_golden` takes as `watched`: the questions as they come, each noted when it is answered."""

    def watched(questions: Sequence[T]) -> Iterator[T]:
        for done, question in enumerate(questions):
            _moved(plugin_id, done=done, total=len(questions))
            yield question
        _moved(plugin_id, done=len(questions), total=len(questions))

    return watched


def _moved(plugin_id: UUID, *, done: int, total: int) -> None:
    _write(plugin_id, Progress(total=total, done=done, started=True, moved_at=timezone.now()))


def _write(plugin_id: UUID, progress: Progress) -> None:
    _safely(lambda: cache.set(_key(plugin_id), progress, _KEPT_SECONDS))


def _safely(act: Callable[[], T]) -> T | None:
    """A run goes on, and a page is shown, when Redis is away."""
    try:
        return act()
    except RedisError as error:
        logger.warning("how far golden questions are is not known: %s", error)
        return None


def _key(plugin_id: UUID) -> str:
    return f"golden-run:{plugin_id}"
