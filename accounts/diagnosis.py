"""What accounts add to `manage.py doctor`."""

from __future__ import annotations

from accounts.limits import is_counting
from lexic.diagnosis import Problem, diagnoses


@diagnoses("limits")
def limits() -> str:
    if not is_counting():
        raise Problem(
            "Redis does not answer: the requests of keys are not counted, and all of them pass.",
            hint="Start Redis; counting begins again within seconds.",
        )
    return "requests of keys are counted"
