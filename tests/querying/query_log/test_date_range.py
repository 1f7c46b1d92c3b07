from __future__ import annotations

from datetime import date, timedelta

import pytest
from django.utils import timezone

from lexic.errors import InvalidInput
from querying.query_log.date_range import days_before, resolve_days

DAY = date(2026, 3, 1)


def test_the_last_thirty_days_are_meant_unless_others_are_given() -> None:
    today = timezone.localdate()
    assert resolve_days(None, None) == (today - timedelta(days=29), today)
    assert resolve_days(None, DAY) == (DAY - timedelta(days=29), DAY)
    assert resolve_days(DAY, DAY) == (DAY, DAY)


def test_days_that_make_no_sense_are_refused() -> None:
    with pytest.raises(InvalidInput, match="comes after"):
        resolve_days(DAY, DAY - timedelta(days=1))
    with pytest.raises(InvalidInput, match="three years"):
        resolve_days(DAY - timedelta(days=1100), DAY)


def test_as_many_days_lie_before() -> None:
    assert days_before(DAY, DAY + timedelta(days=6)) == (DAY - timedelta(days=7), DAY - timedelta(days=1))
