"""Whether the API answers, for whoever watches it."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

HEALTH = "/api/health"


def test_jl_009_anybody_learns_that_the_api_is_healthy() -> None:
    """Without a key, and without a statement to the database: this test has none."""
    before = timezone.now()
    answer = Client().get(HEALTH)
    assert (answer.status_code, answer.json().keys(), answer["Cache-Control"]) == (
        200,
        {"status", "timestamp"},
        "no-store",
    )
    assert answer.json()["status"] == "healthy"
    told = datetime.fromisoformat(answer.json()["timestamp"])
    assert told.utcoffset() == timedelta(0)
    assert before <= told <= timezone.now()


@pytest.mark.parametrize("header", ["Bearer lx_nobody", "Basic eDp5"])
def test_a_wrong_key_is_not_looked_at(header: str) -> None:
    assert Client().get(HEALTH, headers={"Authorization": header}).status_code == 200
