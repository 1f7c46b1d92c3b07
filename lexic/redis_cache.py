"""A cache in Redis that uses the memory of this process while Redis is away or slow: callers neither wait nor fail."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable, Sequence
from functools import cache as once
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeVar

from django.conf import settings
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache, RedisCacheClient

if TYPE_CHECKING:
    import redis

logger = logging.getLogger(__name__)
T = TypeVar("T")

# How long one caller waits for Redis at most, how long all leave it alone after that, and between two warnings.
TIMEOUT_SECONDS, BACKOFF_SECONDS, _WARNING_INTERVAL_SECONDS = 1.0, 5.0, 60.0

# Takes the place of Redis. Where it is full, the oldest entries go.
in_process = LocMemCache("without-redis", {"OPTIONS": {"MAX_ENTRIES": 20_000}})


class Outage:
    """Remembers, in this process, that a server was away a moment ago. Only one of all threads asks it again."""

    def __init__(self, server: str) -> None:
        self._server, self._lock = server, threading.Lock()
        self._until, self._warned_at = 0.0, -math.inf

    def is_on(self) -> bool:
        """Whether to do without the server now. False again for one caller every few seconds, who finds out."""
        with self._lock:
            now = time.monotonic()
            if now >= self._until and self._until:
                self._until = now + BACKOFF_SECONDS
                return False
            return bool(self._until)

    def begin(self, error: Exception) -> None:
        with self._lock:
            now = time.monotonic()
            self._until = now + BACKOFF_SECONDS
            if now - self._warned_at >= _WARNING_INTERVAL_SECONDS:
                self._warned_at = now
                logger.warning("%s is away: %s", self._server, type(error).__name__)

    def end(self) -> None:
        self._until = 0.0

    def run(self, ask: Callable[[], T], instead: Callable[[], T]) -> T:
        """What the server answers, or what `instead` gives while it is away."""
        from redis.exceptions import RedisError  # slow import

        if self.is_on():
            return instead()
        try:
            answer = ask()
        except RedisError as error:
            self.begin(error)
            return instead()
        self.end()
        return answer


outage = Outage("Redis")


class _KeptClient(RedisCacheClient):
    """Django makes a client for every operation, which takes longer than most of them. One may be shared by threads."""

    def __init__(self, servers: list[str], **options: Any) -> None:
        super().__init__(servers, **options)
        self._client_of = once(super().get_client)

    def get_client(self, key: Any = None, *, write: bool = False) -> Any:
        return self._client_of(None, write=write)


@once
def _shared_client(servers: tuple[str, ...]) -> RedisCacheClient:
    """One pool of connections for the process: Django makes a cache for every thread."""
    import redis  # slow import
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    return _KeptClient(
        list(servers),
        socket_timeout=TIMEOUT_SECONDS,
        socket_connect_timeout=TIMEOUT_SECONDS,
        # Once more at once: the connection may be one that a restarted Redis has forgotten.
        retry=Retry(NoBackoff(), 1, supported_errors=(redis.ConnectionError,)),
    )


def redis_client() -> redis.Redis:
    """The Redis client, for operations that the cache does not have. The caller handles its errors."""
    client: redis.Redis = _shared_client((settings.CACHE_URL,)).get_client(None, write=True)
    return client


def run_script(script: str, keys: Sequence[str], args: Sequence[int | str]) -> Any:
    """Run a Lua script that Redis keeps. Its errors are the caller's."""
    return redis_client().register_script(script)(keys=keys, args=args)


class RedisCacheWithFallback(RedisCache):
    """Django's cache in Redis. While Redis is away every operation works on what this process keeps."""

    _servers: list[str]

    @property
    def _cache(self) -> RedisCacheClient:
        return _shared_client(tuple(self._servers))


def _with_fallback(name: str) -> Callable[..., Any]:
    ask, instead = getattr(RedisCache, name), getattr(LocMemCache, name)

    @wraps(ask)
    def operation(self: RedisCacheWithFallback, *args: Any, **kwargs: Any) -> Any:
        return outage.run(partial(ask, self, *args, **kwargs), partial(instead, in_process, *args, **kwargs))

    return operation


for _name in (
    "add",
    "clear",
    "delete",
    "delete_many",
    "get",
    "get_many",
    "has_key",
    "incr",
    "set",
    "set_many",
    "touch",
):
    setattr(RedisCacheWithFallback, _name, _with_fallback(_name))
