"""The timetable of the workers."""

from __future__ import annotations

from typing import Any

import pytest
from celery.schedules import crontab

from lexic.periodic_tasks import PERIODIC_TASKS

RETENTION = {name for name in PERIODIC_TASKS if name.startswith("forget-")} | {"erase-old-questions", "prune-knowledge"}


def is_daily(entry: dict[str, Any]) -> bool:
    return isinstance(entry["schedule"], crontab) and len(entry["schedule"].hour) == 1


@pytest.mark.parametrize("name", PERIODIC_TASKS)
def test_what_no_worker_takes_does_not_pile_up(name: str) -> None:
    entry: dict[str, Any] = PERIODIC_TASKS[name]
    expires = entry.get("options", {}).get("expires")
    assert expires
    if isinstance(entry["schedule"], float):
        pile = 3 if name in RETENTION else 1
        assert expires <= pile * entry["schedule"]


@pytest.mark.parametrize("name", sorted(RETENTION))
def test_what_deletes_by_a_period_is_done_behind_a_backlog_of_hours(name: str) -> None:
    assert PERIODIC_TASKS[name]["options"]["expires"] == 3 * 3600


@pytest.mark.parametrize("name", [name for name, entry in PERIODIC_TASKS.items() if is_daily(entry)])
def test_what_is_due_once_a_day_is_done_before_the_next_day(name: str) -> None:
    assert PERIODIC_TASKS[name]["options"]["expires"] == 23 * 3600
