"""The checks of accounts for `manage.py doctor`."""

from __future__ import annotations

from redis.exceptions import RedisError

from lexic.diagnostics import CheckFailed, register_check
from lexic.redis_cache import redis_client


@register_check("limits")
def check_rate_limits() -> str:
    try:
        redis_client().ping()
    except RedisError as error:
        raise CheckFailed(
            "Redis does not answer: each process counts requests for itself, from nothing.",
            hint="Start Redis; within seconds all processes count together again.",
        ) from error
    return "requests of keys are counted"
