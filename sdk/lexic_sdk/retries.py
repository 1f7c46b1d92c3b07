"""When to ask again, and after how long."""

from __future__ import annotations

import email.utils
import logging
import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timezone

from lexic_sdk.errors import LexicError

logger = logging.getLogger("lexic_sdk")

FIRST_WAIT, MAX_BACKOFF = 0.5, 8.0
MAX_WAIT = 60.0


@dataclass(kw_only=True)
class Attempts:
    """Those of one call so far: how many failed, and for how many seconds an earlier one was being answered."""

    failed: int = 0
    waited: float = 0.0

    def count(self, error: LexicError, *, seconds: float) -> None:
        """One attempt ended with this error, and the next comes so many seconds later."""
        if error.is_in_progress:
            self.waited += seconds
        else:
            self.failed += 1


@dataclass(frozen=True, kw_only=True)
class Retries:
    """How often a request is repeated after it failed in a way that may pass.

    The waits double from half a second to eight, each somewhere between half of that and all of it, so that agents
    which failed together do not come back together. Where the server says how long (`Retry-After`), that is waited
    instead; when it says more than `longest_wait` seconds, the error is raised at once, because asking earlier than
    told would fail again. An earlier attempt that is still being answered is waited for, up to `longest_answer` seconds
    in all, and asking after it does not count.
    """

    max_retries: int = 2
    longest_answer: float = math.inf
    longest_wait: float = MAX_WAIT
    jitter: Callable[[], float] = random.random

    def wait_after(self, error: LexicError, *, attempt: int, waited: float = 0.0) -> float | None:
        """Seconds until the next attempt, None when there is to be none. `attempt` counts from 0, and `waited` is for
        how many seconds an earlier attempt was being answered."""
        if error.is_in_progress:
            return self._wait_for_answer(error, waited=waited)
        if attempt >= self.max_retries or not error.is_retryable:
            return None
        seconds = error.retry_after
        if seconds is None:
            backoff = min(FIRST_WAIT * 2.0 ** min(attempt, 10), MAX_BACKOFF, self.longest_wait)
            seconds = backoff * (0.5 + 0.5 * self.jitter())
        if seconds > self.longest_wait:
            return None
        logger.debug("Asking again in %.1f s after: %s", seconds, error.code)
        return seconds

    def _wait_for_answer(self, error: LexicError, *, waited: float) -> float | None:
        seconds = max(error.retry_after or 0.0, FIRST_WAIT)
        return seconds if seconds <= min(self.longest_wait, self.longest_answer - waited) else None


def read_retry_after(value: str | None, *, now: datetime | None = None) -> float | None:
    """The header `Retry-After` in seconds, be it a number or a date of HTTP. None for anything else."""
    text = (value or "").strip()
    if not text or len(text) > 64:
        return None
    try:
        seconds = float(text)
    except ValueError:
        return _seconds_until(text, now=now or datetime.now(timezone.utc))
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _seconds_until(text: str, *, now: datetime) -> float | None:
    try:
        when = email.utils.parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if when.tzinfo is None:  # "-0000": a date that does not say where; HTTP's are all in UTC
        when = when.replace(tzinfo=timezone.utc)
    return max(0.0, (when - now).total_seconds())
