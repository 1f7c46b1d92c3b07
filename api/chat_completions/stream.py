"""A completion as it is made: OpenAI's chunks, from the events of the pipeline."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from typing import Any

from api.chat_completions.completions import Completion, message_text
from api.chat_completions.structured_output import check_filled
from lexic.errors import LexicError
from lexic.http.openai_errors import error_envelope
from querying import pipeline
from querying.presentation import sse
from querying.types.answer import Answer
from querying.types.events import AnswerFailed, Delta, Done, Event, Failed

_DONE_MARKER = b"data: [DONE]\n\n"


async def stream_completion(completion: Completion, *, include_usage: bool = False) -> AsyncGenerator[bytes]:
    """The response's body: the role, the text as it is verified, what the answer rests on, and the end.

    An error is the last event: no end marker follows it. Closing this generator closes the pipeline.
    """
    encoder = _ChunkEncoder(completion, include_usage=include_usage)
    yield encoder.encode_chunk(completion.chunk({"role": "assistant", "content": "", "refusal": None}))
    async with aclosing(sse.with_pings(pipeline.stream(completion.question))) as events:
        async for event in events:
            for piece in encoder.encode_event(event):
                yield piece


class _ChunkEncoder:
    """Encodes events, and remembers the text that was sent."""

    def __init__(self, completion: Completion, *, include_usage: bool) -> None:
        self.completion = completion
        self.include_usage = include_usage
        self.text_sent = ""

    def encode_event(self, event: Event | None) -> Iterator[bytes]:
        if event is None:
            yield sse.PING
        elif isinstance(event, Delta):
            yield self.encode_text(event.text)
        elif isinstance(event, Failed):
            yield sse.encode_sse(error_envelope(AnswerFailed(event)))
        elif isinstance(event, Done):
            try:
                check_filled(event.answer)
            except LexicError as error:
                yield sse.encode_sse(error_envelope(error))
            else:
                yield from self.encode_end(event.answer)

    def encode_text(self, text: str) -> bytes:
        self.text_sent += text
        called = {"tool_calls": [{"index": 0, **self.completion.call(text)}]}
        return self.encode_chunk(self.completion.chunk(called if self.completion.tool else {"content": text}))

    def encode_end(self, answer: Answer) -> Iterator[bytes]:
        # The text of a refusal or a clarification has not been sent yet; that of an answer has.
        if not self.text_sent:
            yield self.encode_text(message_text(answer))
        yield self.encode_chunk(self.completion.make_last_chunk(answer))
        if self.include_usage:
            yield sse.encode_sse(self.completion.make_usage_chunk(answer))
        yield _DONE_MARKER

    def encode_chunk(self, chunk: dict[str, Any]) -> bytes:
        """One chunk. Where usage is asked for, every chunk but the last says that it has none."""
        return sse.encode_sse({**chunk, "usage": None} if self.include_usage else chunk)
