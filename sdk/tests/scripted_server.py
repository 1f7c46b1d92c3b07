"""A server that is a function: it gets the request and gives the reply, and remembers what it was asked."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import httpx
import pytest
from made import run

from lexic_sdk import AsyncLexic, Lexic, LexicError

KEY = "lx_" + "k" * 43
Reply = httpx.Response | Exception | Callable[[httpx.Request], httpx.Response]


class Server:
    """Replies are given in their order; the last one again and again."""

    def __init__(self) -> None:
        self.requests: list[httpx.Request] = []
        self.replies: list[Reply] = []
        self.waits: list[float] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, Exception):
            raise reply
        given = reply(request) if callable(reply) else reply
        # A copy: a client marks what it was given, and the same reply is given to several.
        return httpx.Response(given.status_code, headers=given.headers, stream=given.stream)

    def answers(self, *replies: Reply) -> Server:
        self.replies = list(replies)
        return self

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [json.loads(request.content) for request in self.requests]

    async def wait(self, seconds: float) -> None:
        self.waits.append(seconds)


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LEXIC_API_KEY", "LEXIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def lexic(server: Server) -> Iterator[Lexic]:
    with httpx.Client(transport=httpx.MockTransport(server)) as http:
        yield Lexic(KEY, default_plugin="cover", http_client=http, sleep=server.waits.append)


@pytest.fixture
def async_lexic(server: Server) -> AsyncLexic:
    http = httpx.AsyncClient(transport=httpx.MockTransport(server))
    return AsyncLexic(KEY, default_plugin="cover", http_client=http, sleep=server.wait)


class Blocking:
    """The async client behind the interface of the other, so that each test is written once and run for both."""

    def __init__(self, client: AsyncLexic) -> None:
        self.client = client

    def __getattr__(self, name: str) -> Any:
        return getattr(self.client, name)

    def set_active_plugin(self, plugin: str) -> Blocking:
        assert self.client.set_active_plugin(plugin) is self.client
        return self

    def query(self, *given: Any, **named: Any) -> Any:
        return run(self.client.query(*given, **named))

    def query_stream(self, *given: Any, **named: Any) -> Iterator[Any]:
        return self._replay(self.client.query_stream(*given, **named))  # what is wrong with a call is said here

    def collaborate_stream(self, *given: Any, **named: Any) -> Iterator[Any]:
        return self._replay(self.client.collaborate_stream(*given, **named))

    def review_stream(self, *given: Any, **named: Any) -> Iterator[Any]:
        return self._replay(self.client.review_stream(*given, **named))

    @staticmethod
    def _replay(stream: AsyncIterator[Any]) -> Iterator[Any]:
        async def collect() -> tuple[list[Any], Exception | None]:
            found: list[Any] = []
            try:
                async for event in stream:
                    found += [event]
            except LexicError as error:
                return found, error
            return found, None

        def replay() -> Iterator[Any]:
            found, error = run(collect())
            yield from found
            if error:
                raise error

        return replay()

    def query_stream_to_result(self, *given: Any, **named: Any) -> Any:
        return run(self.client.query_stream_to_result(*given, **named))

    def answer_clarification(self, *given: Any, **named: Any) -> Any:
        return run(self.client.answer_clarification(*given, **named))

    def collaborate(self, *given: Any, **named: Any) -> Any:
        return run(self.client.collaborate(*given, **named))

    def review(self, *given: Any, **named: Any) -> Any:
        return run(self.client.review(*given, **named))

    def me(self) -> Any:
        return run(self.client.me())

    def plugins(self) -> Any:
        return run(self.client.plugins())


@pytest.fixture(params=["sync", "async"])
def client(request: pytest.FixtureRequest) -> Lexic | Blocking:
    if request.param == "sync":
        return request.getfixturevalue("lexic")
    return Blocking(request.getfixturevalue("async_lexic"))
