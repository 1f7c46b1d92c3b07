"""How fast a person asks by hand. What asks faster than this is a script with a borrowed session."""

from __future__ import annotations

import math

from accounts.limits import DAY, MINUTE, wait_for_room
from accounts.models import User
from lexic.errors import LexicError

LIMITS = {MINUTE: 30, DAY: 2000}


class AskedTooOften(LexicError):
    """You have asked very often just now; your question is kept in the box."""

    code = "rate_limited"
    status = 429

    def __init__(self, wait: float) -> None:
        self.wait = math.ceil(wait)
        super().__init__(hint=f"You may go on in {self.wait} seconds.")


def check_pace(user: User) -> None:
    """Counts a question asked by hand. Raises `AskedTooOften`."""
    wait = wait_for_room(f"sandbox:{user.pk}", LIMITS)
    if wait is not None:
        raise AskedTooOften(wait)
