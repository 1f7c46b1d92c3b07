"""What accounts add to `manage.py doctor`."""

from __future__ import annotations

from accounts.rate_limits import is_redis_available
from lexic.diagnostics import CheckFailed, register_check


@register_check("limits")
def check_rate_limits() -> str:
    if not is_redis_available():
        raise CheckFailed(
            "Redis does not answer: the requests of keys are not counted, and all of them pass.",
            hint="Start Redis; counting begins again within seconds.",
        )
    return "requests of keys are counted"
