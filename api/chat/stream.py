"""A completion as it is made: OpenAI's chunks, from the same events as every other door."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from typing import Any

from api.chat.completions import Completion, message_text
from lexic.errors import LexicError
from lexic.http.openai_errors import error_envelope
from querying import pipeline
from querying.presentation import sse
from querying.types import Answer, Delta, Done, Event, Failed

_DONE_MARKER = b"data: [DONE]\n\n"


class AnswerFailed(LexicError):
    """The answer could not be made."""


def answer_error(failed: Failed) -> AnswerFailed:
    error = AnswerFailed(failed.error, code=failed.code, hint=failed.hint)
    error.status = failed.status
    return error


async def stream_completion(completion: Completion, *, include_usage: bool = False) -> AsyncGenerator[bytes]:
    """The response's body: the role, the text as it is verified, what the answer rests on, and the end.

    After an error there is no end: its event is the last one. Closing this closes the pipeline.
    """
    chunks = _ChunkEncoder(completion, include_usage=include_usage)
    yield chunks.encoded(completion.chunk({"role": "assistant", "content": "", "refusal": None}))
    async with aclosing(sse.with_pings(pipeline.stream(completion.question))) as events:
        async for event in events:
            for piece in chunks.of(event):
                yield piece


class _ChunkEncoder:
    """Encodes events, and remembers what has been said."""

    def __init__(self, completion: Completion, *, include_usage: bool) -> None:
        self.completion = completion
        self.include_usage = include_usage
        self.said = ""

    def of(self, event: Event | None) -> Iterator[bytes]:
        if event is None:
            yield sse.PING
        elif isinstance(event, Delta):
            yield self.say(event.text)
        elif isinstance(event, Failed):
            yield sse.encode_sse(error_envelope(answer_error(event)))
        elif isinstance(event, Done):
            yield from self.ending(event.answer)

    def say(self, text: str) -> bytes:
        self.said += text
        return self.encoded(self.completion.chunk({"content": text}))

    def ending(self, answer: Answer) -> Iterator[bytes]:
        # Of a refusal or a clarification nothing has been said yet; of an answer, everything.
        text = message_text(answer)
        if not self.said:
            yield self.say(text)
        yield self.encoded(self.completion.make_last_chunk(answer))
        if self.include_usage:
            yield sse.encode_sse(self.completion.make_usage_chunk(answer))
        yield _DONE_MARKER

    def encoded(self, chunk: dict[str, Any]) -> bytes:
        """With usage asked for, every chunk but the last says that it has none yet."""
        return sse.encode_sse({**chunk, "usage": None} if self.include_usage else chunk)
