"""How much people ask by hand: those who have signed in, of whom who asks faster than this is a script with a borrowed
session, and visitors, of whom nobody knows who they are."""

from __future__ import annotations

import math

from accounts import limits
from accounts.limits import DAY, MINUTE, wait_for_room
from accounts.models import User
from lexic.errors import LexicError
from plugins.models import Plugin

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


class AskedEnough(LexicError):
    """You have asked as much as can be asked here without a key; your question is kept in the box."""

    code = "rate_limited"
    status = 429

    def __init__(self, wait: int) -> None:
        self.wait = wait
        super().__init__(hint=f"You may go on in {in_words(wait)}, or get a key and go on at once.")


def check_visitor(who: str, *, plugin: Plugin) -> None:
    """Counts a visitor's question to the plugin, by whichever of its public doors; `who` is their address
    (`accounts.visitors.name_of`). Raises `AskedEnough`."""
    allowance = limits.spend_visitor(who, place=str(plugin.pk))
    if allowance.retry_after is not None:
        raise AskedEnough(allowance.retry_after)


def left_today(who: str, *, plugin: Plugin) -> int | None:
    """How many questions a visitor of this address may still ask today; None where nobody counts."""
    return limits.look_visitor(who, place=str(plugin.pk)).left_today


def in_words(seconds: int) -> str:
    """How long, in the unit that people would take."""
    for length, name in ((3600, "hour"), (60, "minute")):
        if seconds >= 2 * length:
            return f"{math.ceil(seconds / length)} {name}s"
    return f"{seconds} second{'' if seconds == 1 else 's'}"
