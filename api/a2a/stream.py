"""A task as it is made: that it has begun, what is being done, the answer's text piece by piece, and how it ended."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from accounts.models import ApiKey
from api.a2a import task_json
from api.a2a.jsonrpc import RpcRequest
from api.a2a.tasks import AskedMessage, save_task
from api.chat_completions.completions import message_text
from lexic.database import in_thread
from querying import pipeline
from querying.presentation import sse
from querying.types.answer import Answer, Outcome
from querying.types.events import Delta, Done, Event, Failed, Status


async def stream_task(asked: AskedMessage, rpc: RpcRequest, *, key: ApiKey) -> AsyncGenerator[bytes]:
    """The response's body: each event is a response of JSON-RPC. Closing this generator closes the pipeline."""
    writer = _TaskWriter(asked)
    yield _encode_result(rpc, writer.begun())
    last: Done | Failed | None = None
    async with aclosing(sse.with_pings(pipeline.stream(asked.question))) as events:
        async for event in events:
            if event is None:
                yield sse.PING
            elif isinstance(event, (Done, Failed)):
                last = event
            else:
                yield _encode_result(rpc, writer.progress(event))
    # The query row is there by now; the task hangs on it.
    answer = last.answer if isinstance(last, Done) else None
    await in_thread(save_task, asked, key=key, answer=answer)
    for result in writer.end(last):
        yield _encode_result(rpc, result)


def _encode_result(rpc: RpcRequest, result: dict[str, Any]) -> bytes:
    return sse.encode_sse(rpc.result(result))


class _TaskWriter:
    """The results of a stream, in 1.0's shapes; it remembers whether text was sent."""

    def __init__(self, asked: AskedMessage) -> None:
        self._asked = asked
        self._ids = asked.ids
        self._has_text = False

    def begun(self) -> dict[str, Any]:
        return {"task": self._asked.task(status=task_json.status(task_json.WORKING))}

    def progress(self, event: Event) -> dict[str, Any]:
        if isinstance(event, Delta):
            return self._artifact([task_json.text_part(event.text)], is_last=False)
        assert isinstance(event, Status)
        parts = [task_json.text_part(event.message)]
        return self._status(task_json.status(task_json.WORKING, parts=parts, ids=self._ids))

    def end(self, last: Done | Failed | None) -> list[dict[str, Any]]:
        if not isinstance(last, Done):
            assert last is not None
            return [self._status(task_json.failed_status(last, ids=self._ids))]
        answer, question = last.answer, self._asked.question
        ended = self._status(task_json.answer_status(answer, question=question, ids=self._ids))
        return [ended] if answer.clarification else [self._rest(answer), ended]

    def _rest(self, answer: Answer) -> dict[str, Any]:
        """What the answer has beside the text, and the text as well where none was sent: that of a refusal."""
        data = task_json.data_part(task_json.answer_data(answer, question=self._asked.question))
        text = [] if self._has_text else [task_json.text_part(message_text(answer))]
        return self._artifact([*text, data], is_last=True, outcome=answer.outcome)

    def _artifact(
        self, parts: list[dict[str, Any]], *, is_last: bool, outcome: Outcome = Outcome.ANSWERED
    ) -> dict[str, Any]:
        name = task_json.artifact_name(outcome)
        artifact = {"artifactId": task_json.artifact_id(self._asked.question.id), "name": name, "parts": parts}
        update = {**self._ids, "artifact": artifact, "append": self._has_text, "lastChunk": is_last}
        self._has_text = True
        return {"artifactUpdate": update}

    def _status(self, status: dict[str, Any]) -> dict[str, Any]:
        return {"statusUpdate": {**self._ids, "status": status}}
