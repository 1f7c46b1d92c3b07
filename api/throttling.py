"""The limits of a key, at the door of every view."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from accounts.limits import DAY, MINUTE, wait_for_room
from accounts.models import ApiKey


class KeyThrottle(BaseThrottle):
    """Fixed windows. When Redis is away requests pass: an answer matters more than an exact count."""

    _wait: float | None = None

    def allow_request(self, request: Request, view: Any) -> bool:
        key = request.auth
        if not isinstance(key, ApiKey):
            return True
        self._wait = wait_for_room(str(key.pk), {MINUTE: key.per_minute, DAY: key.per_day})
        return self._wait is None

    def wait(self) -> float | None:
        return self._wait
