from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from knowledge.versions import progress
from knowledge.versions.progress import TimeEstimator


class Clock:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr(progress.time, "monotonic", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_the_rest_takes_as_long_as_what_was_watched(clock: Clock) -> None:
    pace = TimeEstimator()
    assert pace.expected_end(50, 150) is None
    clock.now += 10
    end = pace.expected_end(75, 150)
    assert end
    assert abs(end - timezone.now() - timedelta(seconds=30)) < timedelta(seconds=5)


def test_what_was_done_before_does_not_make_it_look_fast(clock: Clock) -> None:
    """Vectors that were copied cost nothing."""
    pace = TimeEstimator()
    pace.expected_end(900, 1000)
    clock.now += 10
    end = pace.expected_end(910, 1000)
    assert end
    assert end - timezone.now() > timedelta(seconds=80)


@pytest.mark.parametrize(("seconds", "done", "total"), [(0.5, 20, 100), (10, 10, 100), (10, 100, 100), (10, 20, None)])
def test_a_guess_is_not_made(clock: Clock, seconds: float, done: int, total: int | None) -> None:
    pace = TimeEstimator()
    pace.expected_end(10, total)
    clock.now += seconds
    assert pace.expected_end(done, total) is None
