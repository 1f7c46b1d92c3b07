"""A response as it is made: the typed events of OpenAI's Responses API, from the events of the pipeline."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from typing import Any

from api.chat_completions.completions import message_text
from api.chat_completions.structured_output import check_filled
from api.responses.response_json import ResponseFormat
from api.responses.stored_responses import store
from lexic.database import in_thread
from lexic.errors import LexicError
from querying import pipeline
from querying.presentation import sse
from querying.types.answer import Answer
from querying.types.events import AnswerFailed, Delta, Done, Failed


async def stream_response(response: ResponseFormat) -> AsyncGenerator[bytes]:
    """The response's body: that it has begun, the text as it is verified, and the whole response at the end.

    The last event is `response.completed` or `response.failed`. Closing this generator closes the pipeline.
    """
    encoder, last = _EventEncoder(response), None
    for piece in encoder.encode_beginning():
        yield piece
    async with aclosing(sse.with_pings(pipeline.stream(response.question))) as events:
        async for event in events:
            if event is None:
                yield sse.PING
            elif isinstance(event, Delta):
                yield encoder.encode_text(event.text)
            elif isinstance(event, (Done, Failed)):
                last = event
    # The query row is there by now; what is stored hangs on it.
    assert last is not None
    try:
        if isinstance(last, Failed):
            raise AnswerFailed(last)
        body = await in_thread(complete_response, response, last.answer)
    except LexicError as error:
        yield encoder.encode("response.failed", response=response.failed(error))
        return
    for piece in encoder.encode_end(last.answer, body):
        yield piece


def complete_response(response: ResponseFormat, answer: Answer) -> dict[str, Any]:
    """The whole response, stored where the request wants that. Raises what `check_filled` does."""
    check_filled(answer)
    body = response.completed(answer)
    if response.request.store:
        body["store"] = store(response.question.id, body=body, turns=response.request.turns)
    return body


class _EventEncoder:
    """Encodes events with their numbers, and remembers whether text was sent."""

    def __init__(self, response: ResponseFormat) -> None:
        self.response = response
        self.number = 0
        self.has_text = False
        self.place = {"item_id": response.message_id, "output_index": 0, "content_index": 0}

    def encode(self, kind: str, **fields: Any) -> bytes:
        event = {"type": kind, "sequence_number": self.number, **fields}
        self.number += 1
        return sse.encode_named(kind, event)

    def encode_beginning(self) -> Iterator[bytes]:
        begun = self.response.in_progress()
        yield self.encode("response.created", response=begun)
        yield self.encode("response.in_progress", response=begun)
        if self.response.tool:
            item = self.response.call("", status="in_progress")
            yield self.encode("response.output_item.added", output_index=0, item=item)
            return
        item = self.response.message([], status="in_progress")
        yield self.encode("response.output_item.added", output_index=0, item=item)
        part = self.response.text_part("", annotations=[])
        yield self.encode("response.content_part.added", **self.place, part=part)

    def encode_text(self, text: str) -> bytes:
        self.has_text = True
        if self.response.tool:
            return self.encode_arguments("delta", delta=text)
        return self.encode("response.output_text.delta", **self.place, delta=text, logprobs=[])

    def encode_end(self, answer: Answer, body: dict[str, Any]) -> Iterator[bytes]:
        # The text of a refusal or a clarification has not been sent yet; that of an answer has.
        if not self.has_text:
            yield self.encode_text(message_text(answer))
        [item] = body["output"]
        yield from self.encode_call(item) if self.response.tool else self.encode_message(item)
        yield self.encode("response.output_item.done", output_index=0, item=item)
        yield self.encode("response.completed", response=body)

    def encode_arguments(self, what: str, **fields: Any) -> bytes:
        item_id = f"fc_{self.response.question.id.hex}"
        return self.encode(f"response.function_call_arguments.{what}", item_id=item_id, output_index=0, **fields)

    def encode_call(self, item: dict[str, Any]) -> Iterator[bytes]:
        yield self.encode_arguments("done", name=item["name"], arguments=item["arguments"])

    def encode_message(self, item: dict[str, Any]) -> Iterator[bytes]:
        [part] = item["content"]
        for number, annotation in enumerate(part["annotations"]):
            yield self.encode(
                "response.output_text.annotation.added",
                **self.place,
                annotation_index=number,
                annotation=annotation,
            )
        yield self.encode("response.output_text.done", **self.place, text=part["text"], logprobs=[])
        yield self.encode("response.content_part.done", **self.place, part=part)
