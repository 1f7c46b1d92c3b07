from __future__ import annotations

import logging
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
import redis
from django.core.cache import cache
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from accounts import rate_limits
from accounts.models import ApiKey, User
from accounts.rate_limits import (
    DAY,
    MINUTE,
    LimitWindow,
    count_key_request,
    count_or_wait,
)
from lexic import diagnostics, redis_cache
from tests.own_redis import forget_outages

# A moment in the middle of a minute and of a day, far in the future so that no other test counts there.
NOON = 4_000_017_630.0
NOON += DAY / 2 - NOON % DAY + 30


def a_key(**fields: Any) -> ApiKey:
    """Not saved: counting needs no database."""
    return ApiKey(**{"per_minute": 3, "per_day": 5, **fields})


@pytest.fixture
def no_redis(settings: Any) -> Iterator[None]:
    """A Redis that refuses connections, as far as limits are concerned."""
    settings.CACHE_URL = "redis://127.0.0.1:1/0"
    forget_outages()
    yield
    forget_outages()


def test_so_many_pass_in_a_minute_and_no_more() -> None:
    key = a_key()
    allowances = [count_key_request(key, now=NOON) for _ in range(4)]
    assert [allowance.remaining for allowance in allowances] == [2, 1, 0, 0]
    assert [allowance.retry_after for allowance in allowances] == [None, None, None, 60]
    assert count_key_request(key, now=NOON + 59).retry_after == 1
    assert not count_key_request(key, now=NOON + 60).is_refused, "the next minute"


def test_what_a_full_minute_refuses_is_not_taken_from_the_day() -> None:
    key = a_key(per_minute=2, per_day=5)
    for _ in range(10):
        count_key_request(key, now=NOON)
    assert count_key_request(key, amount=0, now=NOON).windows[1] == LimitWindow(
        seconds=DAY, limit=5, remaining=3, reset_seconds=DAY // 2 - 30
    )


def test_what_a_full_day_refuses_is_not_taken_from_the_minute() -> None:
    key = a_key(per_minute=10, per_day=1)
    refused = [count_key_request(key, now=NOON) for _ in range(5)][-1]
    assert refused.windows[0].remaining == 9
    assert (refused.limit, refused.remaining, refused.retry_after) == (1, 0, DAY // 2 - 30)


def test_the_figures_are_those_of_the_window_that_has_least_left() -> None:
    key = a_key(per_minute=3, per_day=4)
    first = count_key_request(key, now=NOON)
    assert (first.limit, first.remaining, first.reset_seconds) == (3, 2, 60)
    count_key_request(key, now=NOON)
    third = count_key_request(key, now=NOON + MINUTE)
    assert (third.limit, third.remaining, third.reset_seconds) == (4, 1, DAY // 2 - 30 - MINUTE)


def test_the_headers_say_what_is_left_and_when_to_come_back() -> None:
    key = a_key(per_minute=1)
    assert count_key_request(key, now=NOON).headers() == {
        "X-RateLimit-Limit": "1",
        "X-RateLimit-Remaining": "0",
        "X-RateLimit-Reset": "60",
    }
    assert count_key_request(key, now=NOON + 0.5).headers() == {
        "X-RateLimit-Limit": "1",
        "X-RateLimit-Remaining": "0",
        "X-RateLimit-Reset": "60",
        "Retry-After": "60",
    }


def test_looking_counts_nothing() -> None:
    key = a_key()
    assert [count_key_request(key, amount=0, now=NOON).remaining for _ in range(5)] == [3] * 5
    assert not count_key_request(key, amount=0, now=NOON).is_refused


def test_one_may_look_at_a_full_window() -> None:
    key = a_key(per_minute=1)
    for _ in range(3):
        count_key_request(key, now=NOON)
    assert count_key_request(key, amount=0, now=NOON).remaining == 0
    assert not count_key_request(key, amount=0, now=NOON).is_refused


def test_keys_are_counted_each_for_itself() -> None:
    count_key_request(a_key(), now=NOON)
    assert count_key_request(a_key(), now=NOON).remaining == 2


def test_counters_do_not_stay_for_ever() -> None:
    key = a_key()
    count_key_request(key, now=NOON)
    for seconds in (MINUTE, DAY):
        name = cache.make_key(f"requests:{{key:{key.counted_as}}}:{seconds}")
        assert 0 < redis_cache.redis_client().ttl(name) <= seconds + MINUTE


def test_the_turn_of_a_minute_of_the_clock_lets_no_more_pass() -> None:
    key, turn = a_key(per_minute=3, per_day=100), NOON + 30
    passed = [not count_key_request(key, now=turn + seconds).is_refused for seconds in (-2, -1, 0, 1, 2)]
    assert passed == [True, True, True, False, False]
    assert count_key_request(key, amount=0, now=turn).windows[0].reset_seconds == 58


def test_a_day_ends_at_midnight_utc() -> None:
    key, midnight = a_key(per_minute=100, per_day=2), NOON - NOON % DAY + DAY
    passed = [not count_key_request(key, now=midnight + seconds).is_refused for seconds in (-3, -2, -1, 0)]
    assert passed == [True, True, False, True]


def test_of_1000_requests_from_50_threads_exactly_100_pass() -> None:
    key = a_key(per_minute=100, per_day=5000)
    with ThreadPoolExecutor(50) as threads:
        allowances = list(threads.map(lambda _: count_key_request(key, now=NOON), range(1000)))
    passed = [allowance for allowance in allowances if not allowance.is_refused]
    assert len(passed) == 100
    assert sorted(allowance.remaining for allowance in passed) == list(range(100))
    assert count_key_request(key, amount=0, now=NOON).windows[1].remaining == 4900


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(0, 3)), max_size=25))
@examples(max_examples=30)
def test_no_window_ever_lets_more_pass_than_it_holds(steps: list[tuple[int, int]]) -> None:
    key, now = a_key(per_minute=4, per_day=7), NOON
    passed: dict[int, int] = {}
    for times, minutes in steps:
        now += minutes * MINUTE
        for _ in range(times):
            minute = int(now // MINUTE)
            has_room = passed.get(minute, 0) < 4 and sum(passed.values()) < 7
            assert count_key_request(key, now=now).is_refused is not has_room
            passed[minute] = passed.get(minute, 0) + has_room


def test_waiting_for_room_uses_the_same_counters_in_other_windows() -> None:
    who = f"sandbox:{uuid.uuid4()}"
    waits = [count_or_wait(who, {MINUTE: 2, DAY: 3}, now=NOON) for _ in range(3)]
    assert waits == [None, None, 60]
    assert count_or_wait(who, {MINUTE: 2, DAY: 3}, now=NOON + MINUTE) is None
    assert count_or_wait(who, {MINUTE: 2, DAY: 3}, now=NOON + MINUTE) == DAY // 2 - 30 - MINUTE


# --- Without Redis -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("no_redis")
def test_without_redis_each_process_keeps_the_limits() -> None:
    key = a_key(per_minute=2)
    allowances = [count_key_request(key) for _ in range(3)]
    assert [allowance.is_refused for allowance in allowances] == [False, False, True]
    assert [allowance.headers()["X-RateLimit-Remaining"] for allowance in allowances] == ["1", "0", "0"]
    assert [count_or_wait("anybody", {DAY: 1}) is None for _ in range(2)] == [True, False]


STEPS = st.tuples(st.integers(0, 2), st.sampled_from([0, 1, 29, 30, 60, 3600, DAY]))


@examples(max_examples=40)
@given(st.lists(STEPS, min_size=1, max_size=12), st.integers(1, 4), st.integers(1, 6))
def test_counting_in_the_process_and_in_redis_is_the_same(
    steps: list[tuple[int, int]], per_minute: int, per_day: int
) -> None:
    names, now = [f"same:{uuid.uuid4()}:{seconds}" for seconds in (MINUTE, DAY)], NOON
    for amount, later in steps:
        now += later
        begins = [int(1000 * start) for start in (now, now - now % DAY)]
        terms = [amount, int(1000 * now), per_minute, 1000 * MINUTE, begins[0], per_day, 1000 * DAY, begins[1]]
        in_redis = redis_cache.run_script(rate_limits._COUNT_SCRIPT, names, terms)
        assert rate_limits._count_in_process(names, terms) == in_redis


@pytest.mark.usefixtures("no_redis")
def test_without_redis_one_request_asks_and_one_line_is_logged(caplog: Any, monkeypatch: Any) -> None:
    asked = []

    def ask(*args: Any) -> None:
        asked.append(1)
        raise redis.TimeoutError

    monkeypatch.setattr(redis_cache, "run_script", ask)
    monkeypatch.setattr(redis_cache, "BACKOFF_SECONDS", 3600.0)
    with caplog.at_level(logging.WARNING):
        for _ in range(100):
            count_key_request(a_key())
    assert len(asked) == 1, "the others do not wait for it"
    assert [record.message for record in caplog.records] == ["Redis is away: TimeoutError"]


@pytest.mark.usefixtures("no_redis")
def test_the_doctor_says_that_processes_count_for_themselves() -> None:
    (finding,) = (finding for finding in diagnostics.run_checks() if finding.name == "limits")
    assert finding.status == "problem"
    assert finding.detail == "Redis does not answer: each process counts requests for itself, from nothing."


def test_counting_together_begins_again_when_redis_is_back(settings: Any, monkeypatch: Any) -> None:
    there, key = settings.CACHE_URL, a_key(per_minute=2)
    forget_outages()
    settings.CACHE_URL = "redis://127.0.0.1:1/0"
    assert count_key_request(key, now=NOON).remaining == 1
    settings.CACHE_URL = there
    assert count_key_request(key, now=NOON).remaining == 0, "left alone for a while"
    redis_cache.outage.end()
    assert count_key_request(key, now=NOON).remaining == 1


def test_a_rotated_key_goes_on_with_the_counters_of_the_old_one(alice: User) -> None:
    old, _ = ApiKey.objects.issue(owner=alice, name="agent", per_minute=2)
    count_key_request(old, now=NOON)
    new, _ = old.rotate(overlap=timedelta(days=1))
    assert count_key_request(new, now=NOON).remaining == 0
    assert count_key_request(old, now=NOON).is_refused
