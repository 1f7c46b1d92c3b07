"""Limits: so many requests in a minute and in a day, counted in Redis in one atomic step.

A request is counted against every window, or, when one of them is full, against none: who is refused loses nothing
of the day. A minute begins with the first request that is counted in it, so that no more than the limit ever pass
around the turn of a minute of the clock; a day is the day in UTC, so that everybody can tell when it ends.

When Redis is away each process counts for itself, from nothing (`lexic.redis_cache`). That is logged once a minute, and
`manage.py doctor` and /readyz say so.

Failed attempts to sign in with a key are not counted. A secret has 256 bits, so there is nothing to guess, and what
does not look like a key never reaches the database; a limit per address would only let one broken agent lock out
everybody who shares its address.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

from django.conf import settings
from django.core.cache import cache

from accounts.models import ApiKey
from lexic import redis_cache
from lexic.errors import LexicError, try_again_in

MINUTE, HOUR, DAY = 60, 3_600, 86_400

# As many times what a visitor may ask of one place is what they may ask of all: there are thousands of plugins.
_ANYWHERE_FACTOR = 5

# KEYS: a counter for each window. ARGV: what to add (0: only look) and the time, then for each counter a limit, a
# length, and when the window begins if it begins now; times in milliseconds.
# Gives 1 or 0 (was there room in all of them), then for each how many are counted by now and when it began.
_COUNT_SCRIPT = """
local amount, now, room, counts, begins = tonumber(ARGV[1]), tonumber(ARGV[2]), 1, {}, {}
for i, key in ipairs(KEYS) do
    local kept = redis.call('HMGET', key, 'count', 'begin')
    counts[i], begins[i] = tonumber(kept[1]) or 0, tonumber(kept[2]) or tonumber(ARGV[3 * i + 2])
    if now >= begins[i] + tonumber(ARGV[3 * i + 1]) then counts[i], begins[i] = 0, tonumber(ARGV[3 * i + 2]) end
    if counts[i] + amount > tonumber(ARGV[3 * i]) then room = 0 end
end
local answer = {room}
for i, key in ipairs(KEYS) do
    if room == 1 and amount > 0 then
        counts[i] = counts[i] + amount
        redis.call('HSET', key, 'count', counts[i], 'begin', begins[i])
        redis.call('PEXPIRE', key, tonumber(ARGV[3 * i + 1]) + 60000)
    end
    answer[2 * i], answer[2 * i + 1] = counts[i], begins[i]
end
return answer
"""


# What is counted under this name, over so many seconds, up to this limit.
_Counter = tuple[str, int, int]


class RateLimited(LexicError):
    """You have reached the limit for now."""

    code = "too_many_requests"
    status = 429

    def __init__(self, *, wait: float) -> None:
        self.retry_after = max(1, math.ceil(wait))
        super().__init__(hint=try_again_in(self.retry_after))


class KeyLimitReached(RateLimited):
    """The limit of this key has no room for so many questions now."""

    code = "rate_limited"


@dataclass(frozen=True, kw_only=True)
class LimitWindow:
    """What is left of one window of so many `seconds`. It begins anew in `reset_seconds`."""

    seconds: int
    limit: int
    remaining: int
    reset_seconds: int


@dataclass(frozen=True, kw_only=True)
class Allowance:
    """What a key may still do. The figures are those of the window that has least left.

    `retry_after`: seconds until there is room again, when this request was refused. `windows` is empty for a visitor
    who was refused by a limit of many places or people; then the headers say nothing either.
    """

    limit: int
    remaining: int
    reset_seconds: int
    retry_after: int | None = None
    windows: tuple[LimitWindow, ...] = ()

    @property
    def left_today(self) -> int | None:
        """What is left of the day; None where `windows` is empty."""
        return next((window.remaining for window in self.windows if window.seconds == DAY), None)

    @property
    def is_refused(self) -> bool:
        return self.retry_after is not None

    def headers(self) -> dict[str, str]:
        """For the answer, whatever it is. `X-RateLimit-Reset` is in seconds from now."""
        if not self.windows:
            return {}
        headers = {
            "X-RateLimit-Limit": str(self.limit),
            "X-RateLimit-Remaining": str(self.remaining),
            "X-RateLimit-Reset": str(self.reset_seconds),
        }
        return headers | ({"Retry-After": str(self.retry_after)} if self.retry_after is not None else {})


def count_key_request(key: ApiKey, *, amount: int = 1, now: float | None = None) -> Allowance:
    """Counts one request with this key, if there is room for it in both windows; with an amount of 0 none.

    A key that another key made counts against both, so that many keys are no more than the one that made them.
    """
    makers = [(f"key:{one.counted_as}", {MINUTE: one.per_minute, DAY: one.per_day}) for one in key.with_makers()]
    return _allowance([counter for maker in makers for counter in _counters(*maker)], amount=amount, now=now)


def count_visitor_request(who: str, *, place: str, now: float | None = None) -> Allowance:
    """Counts one question of a visitor without a key, `who` being their address (`accounts.visitors.visitor_id`), at
    this place; and, against limits of their own, among those of this visitor anywhere and of all visitors to it.
    Refused by one of these, it counts against neither of the visitor's windows here."""
    if peek_visitor_allowance(who, place=place, now=now).remaining:
        anywhere = {
            MINUTE: _ANYWHERE_FACTOR * settings.VISITOR_PER_MINUTE,
            DAY: _ANYWHERE_FACTOR * settings.VISITOR_PER_DAY,
        }
        # First by visitor: whoever is refused must not use up what is left to the others.
        wait = count_or_wait(f"visitor-anywhere:{who}", anywhere, now=now)
        if wait is None:
            wait = count_or_wait(f"visitors:{place}", {DAY: settings.VISITORS_PER_DAY}, now=now)
        if wait is not None:
            return Allowance(limit=0, remaining=0, reset_seconds=math.ceil(wait), retry_after=math.ceil(wait))
    return _visitor_allowance(who, place=place, amount=1, now=now)


def peek_visitor_allowance(who: str, *, place: str, now: float | None = None) -> Allowance:
    """What is left to a visitor at this place, without counting anything."""
    return _visitor_allowance(who, place=place, amount=0, now=now)


def count_or_wait(who: str, limits: Mapping[int, int], *, now: float | None = None) -> float | None:
    """Counts one request; the seconds to wait when there was no room for it, else None.

    `limits`: how many requests in a window of so many seconds.
    """
    has_room, windows = _count_windows(_counters(who, limits), amount=1, now=now)
    return None if has_room else max(window.reset_seconds for window in windows if not window.remaining)


def check_hourly_limit(who: str, *, most: int, refusal: type[RateLimited] = RateLimited) -> None:
    """Counts one of what takes the server long, so many an hour. Raises the refusal."""
    if wait := count_or_wait(who, {HOUR: most}):
        raise refusal(wait=wait)


def _visitor_allowance(who: str, *, place: str, amount: int, now: float | None) -> Allowance:
    limits = {MINUTE: settings.VISITOR_PER_MINUTE, DAY: settings.VISITOR_PER_DAY}
    return _allowance(_counters(f"visitor:{place}:{who}", limits), amount=amount, now=now)


def _counters(who: str, limits: Mapping[int, int]) -> list[_Counter]:
    return [(who, seconds, limit) for seconds, limit in limits.items()]


def _allowance(counters: Sequence[_Counter], *, amount: int, now: float | None) -> Allowance:
    has_room, counted = _count_windows(counters, amount=amount, now=now)
    # Of a key and its makers, the window that has least left.
    by_length = {length: [window for window in counted if window.seconds == length] for length in (MINUTE, DAY)}
    windows = tuple(min(same, key=lambda window: window.remaining) for same in by_length.values() if same)
    least = min(windows, key=lambda window: (window.remaining, -window.reset_seconds))
    return Allowance(
        limit=least.limit,
        remaining=least.remaining,
        reset_seconds=least.reset_seconds,
        retry_after=least.reset_seconds if amount and not has_room else None,
        windows=windows,
    )


def _count_windows(
    counters: Sequence[_Counter], *, amount: int, now: float | None
) -> tuple[bool, tuple[LimitWindow, ...]]:
    """Whether there was room in all of them, and what is left of each window."""
    now = time.time() if now is None else now
    # The last one's name in braces, that of the first maker: a Redis cluster keeps all of them on one machine.
    root = counters[-1][0]
    names = [
        cache.make_key(f"requests:{{{root}}}:{'' if who == root else f'{who}:'}{seconds}")
        for who, seconds, _ in counters
    ]
    # A counter is kept a minute longer than its window: the clocks of two servers differ.
    # A day begins at midnight UTC, a shorter window with the request.
    begins = {seconds: int(1000 * (now - now % DAY if seconds == DAY else now)) for _, seconds, _ in counters}
    windows = [term for _, seconds, most in counters for term in (most, 1000 * seconds, begins[seconds])]
    terms = [amount, int(1000 * now), *windows]
    has_room, *counted = redis_cache.outage.run(
        partial(redis_cache.run_script, _COUNT_SCRIPT, names, terms), partial(_count_in_process, names, terms)
    )
    return bool(has_room), tuple(
        LimitWindow(
            seconds=seconds,
            limit=limit,
            remaining=max(0, limit - count),
            reset_seconds=math.ceil(begin / 1000 + seconds - now),
        )
        for (_, seconds, limit), count, begin in zip(counters, counted[::2], counted[1::2], strict=True)
    )


_counting = threading.Lock()


def _count_in_process(names: list[str], terms: list[int]) -> list[int]:
    """What the script does, in this process."""
    amount, now, *windows = terms
    limits, lengths, begins = windows[::3], windows[1::3], windows[2::3]
    with _counting:
        counters = []
        for name, length, begin in zip(names, lengths, begins, strict=True):
            count, began = redis_cache.in_process.get(name, (0, begin))
            counters.append((count, began) if now < began + length else (0, begin))
        has_room = all(count + amount <= limit for (count, _), limit in zip(counters, limits, strict=True))
        if has_room and amount:
            counters = [(count + amount, began) for count, began in counters]
            for name, counter, length in zip(names, counters, lengths, strict=True):
                redis_cache.in_process.set(name, counter, length / 1000 + 60)
    return [int(has_room), *chain.from_iterable(counters)]
