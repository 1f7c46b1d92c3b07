"""When to try again: soon at first, then later and later, never all at the same moment."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import timedelta

# One attempt at once and nine more, over a little more than three days.
MAX_ATTEMPTS = 10
_FIRST_DELAY = timedelta(seconds=20)
_BACKOFF_FACTOR = 4
_MAX_DELAY = timedelta(days=1)
_JITTER_FRACTION = 0.1

# A receiver that fails is left alone for a moment, whatever else waits for it.
_MAX_BACKOFF = timedelta(minutes=15)


# No attempt is postponed for longer. A later date was written while the clock was wrong.
MAX_WAIT = _MAX_DELAY * (1 + _JITTER_FRACTION)
MAX_REST = _MAX_BACKOFF


def retry_delay(
    attempts: int, *, retry_after: int | None = None, chance: Callable[[], float] = random.random
) -> timedelta | None:
    """How long to wait after so many attempts (1 or more); None: that was the last one.

    `retry_after` are the seconds that the receiver asked for: never less than these, and never more than a day.
    """
    if attempts >= MAX_ATTEMPTS:
        return None
    steps = min(_FIRST_DELAY * _BACKOFF_FACTOR ** (attempts - 1), _MAX_DELAY)
    asked = timedelta(seconds=min(retry_after or 0, int(_MAX_DELAY.total_seconds())))
    return max(steps, asked) * (1 + _JITTER_FRACTION * chance())


def receiver_backoff(failures: int) -> timedelta:
    """How long nothing at all is sent to a receiver that has failed so many times in a row (1 or more)."""
    return min(timedelta(seconds=5) * 2 ** min(failures - 1, 20), _MAX_BACKOFF)
