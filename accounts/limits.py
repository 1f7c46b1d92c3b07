"""Limits per key: so many requests in a minute and in a day, counted in Redis by an atomic increment."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping

from django.core.cache import cache
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)
MINUTE, DAY = 60, 86_400


def wait_for_room(who: str, limits: Mapping[int, int]) -> float | None:
    """Counts one request; the seconds to wait when there was no room for it, else None.

    `limits`: how many requests in a window of so many seconds.
    """
    try:
        waits = (_wait(who, window, limit) for window, limit in limits.items())
        return next((wait for wait in waits if wait is not None), None)
    except (RedisError, ValueError):  # ValueError: the counter went away between two commands
        logger.warning("Redis is away: requests are not counted")
        return None


def _wait(who: str, window: int, limit: int) -> float | None:
    now = time.time()
    counter = f"requests:{who}:{window}:{int(now // window)}"
    cache.add(counter, 0, timeout=window + 60)
    return None if cache.incr(counter) <= limit else window - now % window
