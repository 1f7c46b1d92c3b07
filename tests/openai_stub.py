"""A small server that speaks OpenAI's protocol over real HTTP, and fails on command.

    with OpenAIStub() as stub:
        stub.answer = lambda body: "Scrub the wound. [Source 1]"
        stub.script += [Status(429, headers={"Retry-After": "0"}), HalfStream(words=2)]
        client = openai.OpenAI(base_url=stub.base_url, api_key="any")

It refuses what the real one refuses of a conversation: a tool call without its answer, an answer without its call.
Every request takes the next action off `script`, and is answered well once that is empty. `calls` records
what came in. Embeddings are derived from the text alone, so the same text has the same vector everywhere.
"""

from __future__ import annotations

import base64
import hashlib
import json
import random
import select
import socket
import struct
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self, cast

Body = dict[str, Any]
ToolCall = dict[str, Any]
Answer = str | tuple[str | None, list[ToolCall]]

USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
DIMENSIONS = 1536


@dataclass(frozen=True)
class Status:
    """Answer with this status and an error in OpenAI's shape."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    message: str = "scripted failure"
    code: str | None = None


@dataclass(frozen=True)
class Sleep:
    """Wait before answering well."""

    seconds: float


@dataclass(frozen=True)
class Drop:
    """Close the connection without a word."""


@dataclass(frozen=True)
class Garbage:
    """Status 200 and these bytes, which are no answer."""

    content: bytes = b"\x00\xffnot an answer{"
    content_type: str = "application/json"


@dataclass(frozen=True)
class HalfStream:
    """Stream so many words, then this garbage if there is any, then close the connection without the end."""

    words: int = 2
    garbage: bytes = b""


@dataclass(frozen=True)
class SlowStream:
    """Stream with this pause before each word, whatever `delay` says."""

    delay: float


@dataclass(frozen=True)
class Reply:
    """Answer this once, instead of asking `answer`."""

    answer: Answer


@dataclass(frozen=True)
class Deltas:
    """Stream exactly these deltas, with these words as the reason for the end."""

    deltas: list[Body]
    finish: str = "tool_calls"


@dataclass(frozen=True)
class Vectors:
    """Answer an embeddings request with exactly these vectors."""

    vectors: list[list[float]]


Action = Status | Sleep | Drop | Garbage | HalfStream | SlowStream | Reply | Deltas | Vectors


@dataclass(frozen=True, kw_only=True)
class Call:
    """One request as it came in. Header names are in lower case."""

    path: str
    body: Body
    headers: dict[str, str]


def tool_call(name: str, arguments: Mapping[str, Any], *, call_id: str = "call_1") -> ToolCall:
    """A tool call in the protocol's shape, for an `answer`."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": call_id, "type": "function", "function": function}


def vector_of(text: str, *, dimensions: int = DIMENSIONS) -> list[float]:
    """The vector that the stub gives to a text: fixed, of length one, unlike that of any other text."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    normal = random.Random(seed)
    values = [normal.gauss(0, 1) for _ in range(dimensions)]
    length = sum(value * value for value in values) ** 0.5
    return [value / length for value in values]


class OpenAIStub(ThreadingHTTPServer):
    """Use as a context manager; it listens on a free local port from construction on.

    answer: what the model says to a request's body: text, or (text or None, tool calls).
    delay: the pause before each streamed word, in seconds.
    dimensions: of embeddings when a request names none.
    knows_dimensions: False refuses the `dimensions` parameter, as models of one length do.
    calls: the requests so far. script: actions for the next requests, first one first.
    disconnected: how many clients went away in the middle of a stream.
    errors: what `answer` raised; the first is raised again at the end of the `with`.
    """

    daemon_threads = True

    def __init__(self, answer: Callable[[Body], Answer] | None = None, *, delay: float = 0.0) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer: Callable[[Body], Answer] = answer or (lambda body: "Hello from the stub.")
        self.delay = delay
        self.dimensions = DIMENSIONS
        self.knows_dimensions = True
        self.calls: list[Call] = []
        self.script: list[Action] = []
        self.errors: list[BaseException] = []
        self.disconnected = 0
        self._went_away = threading.Condition()
        self._stopping = threading.Event()
        self._open: set[socket.socket] = set()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    @property
    def bodies(self) -> list[Body]:
        """The bodies of `calls`."""
        return [call.body for call in self.calls]

    def wait_for_disconnect(self, *, count: int = 1, timeout: float = 10.0) -> bool:
        """Whether so many clients went away mid-stream; returns as soon as they have."""
        with self._went_away:
            return self._went_away.wait_for(lambda: self.disconnected >= count, timeout)

    def pause(self, seconds: float) -> None:
        """Sleep, but no longer than the server lives."""
        self._stopping.wait(seconds)

    def note_disconnect(self) -> None:
        with self._went_away:
            self.disconnected += 1
            self._went_away.notify_all()

    def next_action(self) -> Action | None:
        try:
            return self.script.pop(0)
        except IndexError:
            return None

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stopping.set()
        self.shutdown()
        # Idle keep-alive connections would otherwise stay open until their thread is collected.
        for connection in list(self._open):
            _hang_up(connection)
        self.server_close()
        if self.errors and not any(exception):
            raise self.errors[0]

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is part of the tests; anything else is reported where the stub ends."""
        error = sys.exception()
        if error is not None and not isinstance(error, OSError):
            self.errors.append(error)


def _hang_up(connection: socket.socket) -> None:
    with suppress(OSError):  # it may already have
        connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    @property
    def stub(self) -> OpenAIStub:
        return cast(OpenAIStub, self.server)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Quiet."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.stub.calls.append(Call(path=self.path, body=body, headers=headers))
        action = self.stub.next_action()
        if not self._fails(action):
            self._answer(body, action)

    def _fails(self, action: Action | None) -> bool:
        """Carry out an action that stands in the place of an answer."""
        match action:
            case Status():
                self._error(action)
            case Drop():
                self._drop()
            case Garbage():
                self._send(200, action.content, content_type=action.content_type)
            case Sleep():
                self.stub.pause(action.seconds)
                return False
            case _:
                return False
        return True

    def _answer(self, body: Body, action: Action | None) -> None:
        if self.path.endswith("/embeddings"):
            return self._embeddings(body, action)
        if not self.path.endswith("/chat/completions"):
            return self._error(Status(404, message=f"no such path: {self.path}"))
        if complaint := _complaint(body.get("messages", [])):
            return self._error(Status(400, message=complaint, code="invalid_messages"))
        if isinstance(action, Deltas):
            return self._stream(_raw_chunks(body, action), action)
        answer = action.answer if isinstance(action, Reply) else self.stub.answer(body)
        text, tool_calls = (answer, []) if isinstance(answer, str) else answer
        if body.get("stream"):
            return self._stream(_chunks(body, text or "", tool_calls), action)
        return self._json(_completion(body, text, tool_calls))

    def _embeddings(self, body: Body, action: Action | None) -> None:
        texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
        if not all(texts):
            return self._error(Status(400, message="input cannot be an empty string"))
        if "dimensions" in body and not self.stub.knows_dimensions:
            return self._error(Status(400, message="this model does not support the parameter dimensions"))
        dimensions = body.get("dimensions", self.stub.dimensions)
        vectors = [vector_of(text, dimensions=dimensions) for text in texts]
        if isinstance(action, Vectors):
            vectors = action.vectors
        in_base64 = body.get("encoding_format") == "base64"
        data = [
            {"object": "embedding", "index": index, "embedding": _base64(vector) if in_base64 else vector}
            for index, vector in enumerate(vectors)
        ]
        usage = {"prompt_tokens": len(texts), "total_tokens": len(texts)}
        # The index says which text a vector belongs to, so the order of the list must not matter to clients.
        return self._json({"object": "list", "model": body["model"], "data": data[::-1], "usage": usage})

    def _stream(self, chunks: Iterator[Body], action: Action | None) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            self._send_events(chunks, action)
        except OSError:
            self.stub.note_disconnect()
            self.close_connection = True

    def _send_events(self, chunks: Iterator[Body], action: Action | None) -> None:
        delay = action.delay if isinstance(action, SlowStream) else self.stub.delay
        words_left = action.words if isinstance(action, HalfStream) else None
        for chunk in chunks:
            if _is_word(chunk):
                if words_left == 0:
                    break
                words_left = words_left and words_left - 1
                self._wait(delay)
            self._send_chunk(b"data: " + json.dumps(chunk).encode() + b"\n\n")
        if not isinstance(action, HalfStream):
            self._send_chunk(b"data: [DONE]\n\n")
            return self._send_chunk(b"")
        if action.garbage:
            self._send_chunk(action.garbage)
        return self._drop()

    def _wait(self, seconds: float) -> None:
        """Pause, and notice at once when the client hangs up: the first write after would still succeed."""
        readable, _, _ = select.select([self.connection], [], [], seconds)
        if readable and not self.connection.recv(1, socket.MSG_PEEK):
            raise ConnectionResetError("the client closed its side")

    def _send_chunk(self, content: bytes) -> None:
        self.wfile.write(b"%X\r\n%s\r\n" % (len(content), content))
        self.wfile.flush()

    def _drop(self) -> None:
        self.close_connection = True
        _hang_up(self.connection)

    def _error(self, failure: Status) -> None:
        error = {"message": failure.message, "type": "stub_error", "param": None, "code": failure.code}
        self._send(failure.status, json.dumps({"error": error}).encode(), headers=failure.headers)

    def _json(self, content: Body) -> None:
        self._send(200, json.dumps(content).encode())

    def _send(
        self,
        status: int,
        content: bytes,
        *,
        content_type: str = "application/json",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.send_response(status)
        everything = {"Content-Type": content_type, "Content-Length": str(len(content)), **(headers or {})}
        for name, value in everything.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(content)
        except OSError:
            self.close_connection = True  # it did not wait for the answer


def _base64(vector: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


def _completion(body: Body, text: str | None, tool_calls: list[ToolCall]) -> Body:
    message: Body = {"role": "assistant", "content": text, "refusal": None}
    if tool_calls:
        message["tool_calls"] = tool_calls
    choice = {"index": 0, "message": message, "finish_reason": _finish(tool_calls), "logprobs": None}
    return {**_head(body, "chat.completion"), "choices": [choice], "usage": USAGE}


def _chunks(body: Body, text: str, tool_calls: list[ToolCall]) -> Iterator[Body]:
    head = _head(body, "chat.completion.chunk")

    def chunk(delta: Body, finish: str | None = None) -> Body:
        return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    yield chunk({"role": "assistant", "content": ""})
    for word in _words(text):
        yield chunk({"content": word})
    for index, call in enumerate(tool_calls):
        name, arguments = call["function"]["name"], call["function"]["arguments"]
        opening = {"id": call["id"], "type": "function", "function": {"name": name, "arguments": ""}}
        yield chunk({"tool_calls": [{"index": index, **opening}]})
        yield chunk({"tool_calls": [{"index": index, "function": {"arguments": arguments}}]})
    yield chunk({}, _finish(tool_calls))
    if (body.get("stream_options") or {}).get("include_usage"):
        yield {**head, "choices": [], "usage": USAGE}


def _raw_chunks(body: Body, action: Deltas) -> Iterator[Body]:
    head = _head(body, "chat.completion.chunk")
    for delta in action.deltas:
        yield {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": action.finish}], "usage": USAGE}


def _complaint(messages: list[Body]) -> str:
    """Why a provider refuses these messages; empty where it does not."""
    open_calls: set[str] = set()
    for number, message in enumerate(messages):
        if message["role"] == "tool":
            if message.get("tool_call_id") not in open_calls:
                return f"messages[{number}]: there is no tool call of this id before it"
            open_calls.remove(message["tool_call_id"])
        elif open_calls:
            return f"messages[{number}]: a tool message must follow for each of {sorted(open_calls)}"
        if not isinstance(message.get("content"), str) and not message.get("tool_calls"):
            return f"messages[{number}]: content is missing"
        for call in message.get("tool_calls", ()):
            if not call["id"] or call["id"] in open_calls:
                return f"messages[{number}]: each tool call has an id of its own"
            json.loads(call["function"]["arguments"])
            open_calls.add(call["id"])
    return f"the messages end before the answers to {sorted(open_calls)}" if open_calls else ""


def _words(text: str) -> list[str]:
    """The words with the space before each, so that together they are the text, to the character."""
    first, *others = text.split(" ")
    return [word for word in (first, *(f" {word}" for word in others)) if word]


def _is_word(chunk: Body) -> bool:
    return any(choice["delta"].get("content") for choice in chunk["choices"])


def _finish(tool_calls: list[ToolCall]) -> str:
    return "tool_calls" if tool_calls else "stop"


def _head(body: Body, kind: str) -> Body:
    return {"id": "chatcmpl-stub", "object": kind, "created": 1, "model": body.get("model", "stub")}
