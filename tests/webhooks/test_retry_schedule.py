from __future__ import annotations

from datetime import timedelta

import pytest

from webhooks.retry_schedule import MAX_ATTEMPTS, receiver_backoff, retry_delay


def delays(chance: float) -> list[timedelta]:
    found = [retry_delay(number, chance=lambda: chance) for number in range(1, MAX_ATTEMPTS)]
    return [delay for delay in found if delay is not None]


def test_ten_attempts_over_three_days_later_and_later() -> None:
    shortest = delays(0.0)
    assert [delay.total_seconds() for delay in shortest[:5]] == [20, 80, 320, 1280, 5120]
    assert shortest == sorted(shortest)
    assert max(shortest) == timedelta(days=1)
    assert timedelta(days=3) < sum(shortest, timedelta()) < timedelta(days=4)
    assert retry_delay(MAX_ATTEMPTS) is None


def test_chance_keeps_them_apart_by_a_tenth_at_most() -> None:
    assert delays(1.0) == [delay * 1.1 for delay in delays(0.0)]
    for one in range(1, MAX_ATTEMPTS):
        low, found, high = delays(0.0)[one - 1], retry_delay(one), delays(1.0)[one - 1]
        assert found is not None
        assert low <= found <= high


@pytest.mark.parametrize(("asked", "seconds"), [(None, 20), (5, 20), (600, 600), (10**9, 86_400)])
def test_a_receiver_may_ask_for_more_time_but_not_for_ever(asked: int | None, seconds: int) -> None:
    assert retry_delay(1, retry_after=asked, chance=lambda: 0.0) == timedelta(seconds=seconds)


def test_a_receiver_that_fails_on_rests_longer_up_to_a_quarter_of_an_hour() -> None:
    assert [receiver_backoff(n).total_seconds() for n in (1, 2, 3, 8, 9, 10_000)] == [5, 10, 20, 640, 900, 900]
