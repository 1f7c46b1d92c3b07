"""The events of an answer, sealed and kept in Redis for two minutes, for a reader whose connection broke.

While Redis is away nothing is kept, and a broken stream cannot be resumed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from accounts import key_secrets
from accounts.models import ApiKey
from lexic.redis_cache import outage, redis_client

KEPT_SECONDS = 120
# How long a sign of life counts: of the answer that is being made, and of a reader who has come back for it.
_ALIVE_SECONDS, _READING_SECONDS = 10, 3
# Marks the end of the journal.
_END = ""


@dataclass(frozen=True, kw_only=True)
class KeptEvents:
    """The events that are kept after a given one. `is_alive`: there may be more."""

    blocks: Sequence[bytes]
    has_ended: bool
    is_alive: bool


@dataclass(frozen=True, kw_only=True)
class EventJournal:
    """The journal of one answer. Only the key that asked finds it, with the same request."""

    name: str

    @classmethod
    def of(cls, question_id: UUID, *, key: ApiKey, body: Any) -> EventJournal:
        """The journal of this answer, whether or not anything is kept. `body`: the request, as it was read."""
        request = json.dumps(body, sort_keys=True, default=str)
        digest = hashlib.sha256(f"{key.pk}\n{question_id}\n{request}".encode()).hexdigest()
        return cls(name=f"lexic:events:{digest}")

    def append(self, blocks: Sequence[bytes]) -> None:
        self._push([key_secrets.encrypt(block.decode()) for block in blocks])

    def finish(self) -> None:
        self._push([_END])

    def forget(self) -> None:
        self._ask_redis(lambda redis: redis.delete(self.name, self._alive, self._reading), instead=None)

    def keep_alive(self) -> None:
        self._ask_redis(lambda redis: redis.set(self._alive, 1, ex=_ALIVE_SECONDS), instead=None)

    def is_being_read(self) -> bool:
        return bool(self._ask_redis(lambda redis: redis.exists(self._reading), instead=0))

    def is_known(self) -> bool:
        return bool(self._ask_redis(lambda redis: redis.exists(self.name), instead=0))

    def read(self, *, after: int) -> KeptEvents:
        """The events after this number. The task that makes the answer sees that somebody reads it."""

        def read(redis: Any) -> tuple[list[bytes], int]:
            steps = redis.pipeline()
            steps.exists(self._alive)
            steps.lrange(self.name, after, -1)
            steps.set(self._reading, 1, ex=_READING_SECONDS)
            is_alive, sealed, _ = steps.execute()
            return sealed, is_alive

        sealed, is_alive = self._ask_redis(read, instead=([], 0))
        has_ended = bool(sealed) and sealed[-1] == _END.encode()
        opened = [key_secrets.decrypt(one.decode()) for one in sealed if one]
        blocks = [block.encode() for block in opened if block is not None]
        return KeptEvents(blocks=blocks, has_ended=has_ended, is_alive=bool(is_alive))

    def _push(self, values: Sequence[str]) -> None:
        def push(redis: Any) -> None:
            steps = redis.pipeline()
            steps.rpush(self.name, *values)
            steps.expire(self.name, KEPT_SECONDS)
            steps.set(self._alive, 1, ex=_ALIVE_SECONDS)
            steps.execute()

        self._ask_redis(push, instead=None)

    @staticmethod
    def _ask_redis(work: Any, *, instead: Any) -> Any:
        return outage.run(lambda: work(redis_client()), partial(lambda value: value, instead))

    @property
    def _alive(self) -> str:
        return f"{self.name}:alive"

    @property
    def _reading(self) -> str:
        return f"{self.name}:reading"
