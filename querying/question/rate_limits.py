"""How much people ask by hand: those who have signed in, of whom who asks faster than this is a script with a borrowed
session, and visitors, of whom nobody knows who they are."""

from __future__ import annotations

import math

from accounts import rate_limits
from accounts.models import User
from accounts.rate_limits import DAY, MINUTE, count_or_wait
from lexic.errors import LexicError
from plugins.models import Plugin

USER_LIMITS = {MINUTE: 30, DAY: 2000}


class UserRateLimited(LexicError):
    """You have asked very often just now; your question is kept in the box."""

    code = "rate_limited"
    status = 429

    def __init__(self, wait: float) -> None:
        self.wait = math.ceil(wait)
        super().__init__(hint=f"You may go on in {self.wait} seconds.")


def check_user_limit(user: User) -> None:
    """Counts a question asked by hand. Raises `AskedTooOften`."""
    wait = count_or_wait(f"sandbox:{user.pk}", USER_LIMITS)
    if wait is not None:
        raise UserRateLimited(wait)


class VisitorRateLimited(LexicError):
    """You have asked as much as can be asked here without a key; your question is kept in the box."""

    code = "rate_limited"
    status = 429

    def __init__(self, wait: int) -> None:
        self.wait = wait
        super().__init__(hint=f"You may go on in {wait_text(wait)}, or get a key and go on at once.")


def check_visitor_limit(who: str, *, plugin: Plugin) -> None:
    """Counts a visitor's question to the plugin, by whichever of its public doors; `who` is their address
    (`accounts.visitors.name_of`). Raises `AskedEnough`."""
    allowance = rate_limits.count_visitor_request(who, place=str(plugin.pk))
    if allowance.retry_after is not None:
        raise VisitorRateLimited(allowance.retry_after)


def visitor_questions_left(who: str, *, plugin: Plugin) -> int | None:
    """How many questions a visitor of this address may still ask today; None where nobody counts."""
    return rate_limits.peek_visitor_allowance(who, place=str(plugin.pk)).left_today


def wait_text(seconds: int) -> str:
    """How long, in the unit that people would take."""
    for length, name in ((3600, "hour"), (60, "minute")):
        if seconds >= 2 * length:
            return f"{math.ceil(seconds / length)} {name}s"
    return f"{seconds} second{'' if seconds == 1 else 's'}"
