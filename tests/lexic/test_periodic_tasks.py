"""The timetable of the workers."""

from __future__ import annotations

from typing import Any

import pytest

from lexic.periodic_tasks import PERIODIC_TASKS


@pytest.mark.parametrize("name", PERIODIC_TASKS)
def test_what_no_worker_takes_does_not_pile_up(name: str) -> None:
    entry: dict[str, Any] = PERIODIC_TASKS[name]
    expires = entry.get("options", {}).get("expires")
    assert expires
    if isinstance(entry["schedule"], float):
        assert expires <= entry["schedule"]
