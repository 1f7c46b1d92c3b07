"""When to try again: soon at first, then later and later, never all at the same moment."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import timedelta

# One attempt at once and nine more, over a little more than three days.
ATTEMPTS = 10
_FIRST = timedelta(seconds=20)
_FACTOR = 4
_LONGEST = timedelta(days=1)
_JITTER = 0.1

# A receiver that fails is left alone for a moment, whatever else waits for it.
_LONGEST_REST = timedelta(minutes=15)


def delay_after(
    attempts: int, *, retry_after: int | None = None, chance: Callable[[], float] = random.random
) -> timedelta | None:
    """How long to wait after so many attempts (1 or more); None: that was the last one.

    `retry_after` are the seconds that the receiver asked for: never less than these, and never more than a day.
    """
    if attempts >= ATTEMPTS:
        return None
    steps = min(_FIRST * _FACTOR ** (attempts - 1), _LONGEST)
    asked = timedelta(seconds=min(retry_after or 0, int(_LONGEST.total_seconds())))
    return max(steps, asked) * (1 + _JITTER * chance())


def rest_after(failures: int) -> timedelta:
    """How long nothing at all is sent to a receiver that has failed so many times in a row (1 or more)."""
    return min(timedelta(seconds=5) * 2 ** min(failures - 1, 20), _LONGEST_REST)
