"""The timetable of the workers, which goes on when the clock of the machine is set back."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from celery.beat import PersistentScheduler

# Less is what clocks are corrected by all the time.
TOLERANCE = timedelta(seconds=5)


class Timetable(PersistentScheduler):
    """Of Celery's own, an entry that was run "in an hour", before the clock was set right, would be due in an hour."""

    def tick(self, *args: Any, **kwargs: Any) -> float:
        """Seconds until the next entry is due; whatever is due now is sent."""
        for entry in self.schedule.values():
            now = entry.default_now()
            if entry.last_run_at and entry.last_run_at - now > TOLERANCE:
                entry.last_run_at = now
                self._heap = None  # it is sorted by moments of the former clock
        seconds: float = super().tick(*args, **kwargs)
        return seconds
