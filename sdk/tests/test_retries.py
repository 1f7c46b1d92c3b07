from __future__ import annotations

from datetime import datetime, timedelta, timezone
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexic_sdk import errors
from lexic_sdk.retries import MAX_BACKOFF, Retries, read_retry_after

NOW = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        ("7", 7.0),
        (" 1.5 ", 1.5),
        ("-3", 0.0),
        (None, None),
        ("", None),
        ("soon", None),
        ("nan", None),
        ("inf", None),
        ("1e400", None),
        ("x" * 1000, None),
        ("Sun, 01 Mar 2026 12:00:30 GMT", 30.0),
        ("Sun, 01 Mar 2026 11:00:00 GMT", 0.0),
        ("Sunday, 01-Mar-26 12:00:30 GMT", 30.0),
        ("Sun, 01 Mar 2026 12:00:30 -0000", 30.0),
        ("Sun, 99 Mar 2026 12:00:30 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str | None, seconds: float | None):
    assert read_retry_after(value, now=NOW) == seconds


@given(st.text(max_size=80))
def test_any_retry_after_is_taken(value: str):
    seconds = read_retry_after(value, now=NOW)
    assert seconds is None or seconds >= 0


@given(st.integers(min_value=0, max_value=10**6))
def test_a_date_is_so_many_seconds_away(seconds: int):
    date = format_datetime(NOW + timedelta(seconds=seconds), usegmt=True)
    assert read_retry_after(date, now=NOW) == seconds


@given(st.integers(min_value=0, max_value=50), st.floats(min_value=0, max_value=1))
def test_waits_grow_and_stay_between_half_and_all_of_what_they_may_be(attempt: int, chance: float):
    retries = Retries(max_retries=100, jitter=lambda: chance)
    wait = retries.wait_after(errors.ProviderError(status=503), attempt=attempt)
    full = min(0.5 * 2**attempt, MAX_BACKOFF)
    assert wait is not None
    assert full / 2 <= wait <= full


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_what_may_pass_is_tried_again_and_only_so_often(status: int):
    error = errors.error_class_for(status=status)(status=status)
    retries = Retries(max_retries=2, jitter=lambda: 1.0)
    assert [retries.wait_after(error, attempt=attempt) for attempt in range(3)] == [0.5, 1.0, None]


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 409, 413, 422, 500, 501])
def test_what_will_not_pass_is_not_tried_again(status: int):
    error = errors.error_class_for(status=status)(status=status)
    assert Retries().wait_after(error, attempt=0) is None


def test_what_the_server_says_is_waited_and_no_longer_than_the_cap():
    def error(seconds: float) -> errors.RateLimitError:
        return errors.RateLimitError(status=429, retry_after=seconds)

    assert Retries().wait_after(error(0), attempt=0) == 0
    assert Retries().wait_after(error(60), attempt=0) == 60
    assert Retries().wait_after(error(61), attempt=0) is None
