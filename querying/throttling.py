"""Limits per key: so many requests in a minute and in a day, counted in Redis by an atomic increment."""

from __future__ import annotations

import logging
import time
from typing import Any

from django.core.cache import cache
from redis.exceptions import RedisError
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from accounts.models import ApiKey

logger = logging.getLogger(__name__)
MINUTE, DAY = 60, 86_400


class KeyThrottle(BaseThrottle):
    """Fixed windows. When Redis is away requests pass: an answer matters more than an exact count."""

    _wait: float | None = None

    def allow_request(self, request: Request, view: Any) -> bool:
        key = request.auth
        if not isinstance(key, ApiKey):
            return True
        try:
            return self._has_room(key, MINUTE, key.per_minute) and self._has_room(key, DAY, key.per_day)
        except (RedisError, ValueError):  # ValueError: the counter went away between two commands
            logger.warning("Redis is away: requests are not counted")
            return True

    def wait(self) -> float | None:
        return self._wait

    def _has_room(self, key: ApiKey, window: int, limit: int) -> bool:
        now = time.time()
        counter = f"requests:{key.pk}:{window}:{int(now // window)}"
        cache.add(counter, 0, timeout=window + 60)
        if cache.incr(counter) <= limit:
            return True
        self._wait = window - now % window
        return False
