"""Questions to a client's user over HTTP: a call that waits in one process, and its answer, which comes to any.

The question goes out as a request on the stream of the call. The client posts the answer as a message of its own. The
process that receives it leaves it in Redis, sealed, where the one that waits looks for it. While Redis is away nobody
is asked, and the client's model gets the question instead.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar
from uuid import uuid4

from mcp.shared.message import ServerMessageMetadata, SessionMessage
from mcp.types import ElicitRequest, ElicitRequestFormParams, ElicitResult, JSONRPCRequest
from pydantic import ValidationError

from accounts import key_secrets
from api.mcp.sessions import Session
from lexic.errors import InvalidInput
from lexic.redis_cache import outage, redis_client

T = TypeVar("T")

# How long a call waits for its user.
WAIT_SECONDS = 600
# How often it looks: an answer of a program comes at once, a person takes a while.
_POLL_SECONDS, _PERSON_POLL_SECONDS, _PROGRAM_SECONDS = 0.1, 1.0, 15.0
# Where the open stream of a call is, for the tool that asks.
STREAM_IN_SCOPE = "lexic.session_stream"


class UnknownQuestion(InvalidInput):
    """Nobody waits for this answer."""

    code = "unknown_question"
    hint = "A question is answered once, within ten minutes, in its session. Call the tool again."


@dataclass(frozen=True, kw_only=True)
class SessionQuestion:
    """One question of a session, as Redis has it while it waits."""

    session: Session
    id: str = field(default_factory=lambda: uuid4().hex)

    def open(self) -> bool:
        """False while Redis is away."""
        return bool(_ask_redis(lambda redis: redis.set(self._question_key, 1, ex=WAIT_SECONDS), instead=False))

    def answer(self, result: Any) -> None:
        """Leaves the answer for the process that waits; None: the client had an error. Raises `UnknownQuestion`."""
        sealed = key_secrets.encrypt(json.dumps(result))

        def leave(redis: Any) -> bool:
            is_open = redis.exists(self._question_key)
            return bool(is_open and redis.set(self._answer_key, sealed, ex=WAIT_SECONDS, nx=True))

        if not _ask_redis(leave, instead=False):
            raise UnknownQuestion

    def read(self) -> str | None:
        """The answer as JSON, once it is there."""
        sealed = _ask_redis(lambda redis: redis.get(self._answer_key), instead=None)
        return key_secrets.decrypt(sealed.decode()) if sealed else None

    def close(self) -> None:
        _ask_redis(lambda redis: redis.delete(self._question_key, self._answer_key), instead=0)

    @property
    def _question_key(self) -> str:
        digest = hashlib.sha256(f"{self.session.key_id}\n{self.session.number}\n{self.id}".encode()).hexdigest()
        return f"lexic:mcp-question:{digest}"

    @property
    def _answer_key(self) -> str:
        return f"{self._question_key}:answer"


@dataclass(frozen=True, kw_only=True)
class SessionStream:
    """The stream on which a call of a session is answered, and its user asked."""

    session: Session
    send: Callable[[SessionMessage], Any]

    async def ask(self, form: dict[str, Any], *, call_id: str | int) -> ElicitResult | None:
        """What the client answered; None where it had an error, nobody answered in time, or Redis is away."""
        question = SessionQuestion(session=self.session)
        if not await asyncio.to_thread(question.open):
            return None
        try:
            request = ElicitRequest(params=ElicitRequestFormParams(**form))
            sent = {**request.model_dump(by_alias=True, mode="json", exclude_none=True), "id": question.id}
            message = JSONRPCRequest(jsonrpc="2.0", **sent)
            await self.send(SessionMessage(message, ServerMessageMetadata(related_request_id=call_id)))
            return _read_result(await _wait_for(question))
        finally:
            await asyncio.shield(asyncio.to_thread(question.close))


def is_answer(message: dict[str, Any]) -> bool:
    """Whether the message answers one of our questions."""
    return "method" not in message and bool({"result", "error"} & message.keys())


def take_answer(message: dict[str, Any], *, session: Session) -> None:
    """Raises `UnknownQuestion`."""
    SessionQuestion(session=session, id=str(message.get("id"))).answer(message.get("result"))


async def _wait_for(question: SessionQuestion) -> str | None:
    begun = time.monotonic()
    while (waited := time.monotonic() - begun) < WAIT_SECONDS:
        if (answer := await asyncio.to_thread(question.read)) is not None:
            return answer
        await asyncio.sleep(_POLL_SECONDS if waited < _PROGRAM_SECONDS else _PERSON_POLL_SECONDS)
    return None


def _read_result(answer: str | None) -> ElicitResult | None:
    try:
        return ElicitResult.model_validate_json(answer) if answer else None
    except ValidationError:
        return None


def _ask_redis(work: Callable[[Any], T], *, instead: T) -> T:
    return outage.run(lambda: work(redis_client()), lambda: instead)
