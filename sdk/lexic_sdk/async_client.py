"""The client for async code: `client`, with `await`."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from types import TracebackType
from typing import Any, cast

import httpx

from lexic_sdk import collaborations, normalise, responses, reviews, stream
from lexic_sdk.collaboration_events import CollaborationEvent
from lexic_sdk.collaborations import Collaboration, Mode
from lexic_sdk.connection import MARKETPLACE, MAX_PAGES, ME, Connection, plugin_path
from lexic_sdk.errors import LexicError, StreamInterrupted
from lexic_sdk.events import ErrorEvent, Event, FinalEvent
from lexic_sdk.question import Context, Facts, Filters, Options, make_followup
from lexic_sdk.results import Answer, Fact, Me, PluginInfo
from lexic_sdk.retries import Attempts
from lexic_sdk.review_events import ReviewEvent
from lexic_sdk.reviews import DocumentReview
from lexic_sdk.stream import EventT, ResultT, StreamFormat, StreamReader


class AsyncLexic(Connection):
    """`Lexic` for async code: the same arguments, results and errors. Belongs to the event loop that first used it.

    Where the loop is not asyncio's, pass its `sleep`.
    """

    def __init__(
        self,
        api_key: str | None = None,
        *,
        base_url: str | None = None,
        default_plugin: str | None = None,
        timeout: float = 120.0,
        max_retries: int = 2,
        allow_http: bool = False,
        http_client: httpx.AsyncClient | None = None,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        """An `http_client` of yours (a proxy, a certificate of your own) is used as it is and not closed."""
        super().__init__(
            api_key=api_key,
            base_url=base_url,
            default_plugin=default_plugin,
            timeout=timeout,
            max_retries=max_retries,
            allow_http=allow_http,
        )
        self._owns_http = http_client is None
        self._http = http_client or httpx.AsyncClient()
        self._sleep = sleep

    async def __aenter__(self) -> AsyncLexic:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        if self._owns_http:
            await self._http.aclose()

    async def query(
        self,
        query: str,
        *,
        plugin: str | None = None,
        plugins: Sequence[str] | None = None,
        context: Context | None = None,
        options: Options | None = None,
        facts: Facts | None = None,
        filters: Filters | None = None,
    ) -> Answer:
        """Ask, and wait for the whole answer. `plugin` beats the active one, for this call;
        with `plugins` each of these answers by itself, and every citation says whose it is.

        `context` is what was said before, `[{"role": "user" | "assistant", "content": …}]`; `facts` are values a
        decision tree reads; `filters` narrow down which documents are read. What is not given is not sent.
        """
        question: dict[str, Any] = {"context": context, "options": options, "facts": facts, "filters": filters}
        body = self._body(query, plugin=plugin, plugins=plugins, **question)
        return await self._ask(body)

    def query_stream(
        self,
        query: str,
        *,
        plugin: str | None = None,
        plugins: Sequence[str] | None = None,
        context: Context | None = None,
        options: Options | None = None,
        facts: Facts | None = None,
        filters: Filters | None = None,
    ) -> AsyncGenerator[Event, None]:
        """Ask, and get the answer as it is made. The last event is a `DoneEvent` or an `ErrorEvent`.

        Raises `StreamInterrupted` when the stream breaks off. Close the generator to stop early.
        """
        question: dict[str, Any] = {"context": context, "options": options, "facts": facts, "filters": filters}
        body = self._body(query, plugin=plugin, plugins=plugins, **question)
        return self._stream(stream.ANSWER, body)

    async def query_stream_to_result(
        self,
        query: str,
        *,
        on_event: Callable[[Event], object] | None = None,
        plugin: str | None = None,
        plugins: Sequence[str] | None = None,
        context: Context | None = None,
        options: Options | None = None,
        facts: Facts | None = None,
        filters: Filters | None = None,
    ) -> Answer:
        """Ask, show each event to `on_event`, a function or an async one, and give the answer.

        An error event is raised after it was shown.
        """
        question: dict[str, Any] = {"context": context, "options": options, "facts": facts, "filters": filters}
        body = self._body(query, plugin=plugin, plugins=plugins, **question)
        return await self._stream_to_result(stream.ANSWER, body, on_event=on_event)

    async def answer_clarification(
        self, result: Answer, answer: Fact, *, on_event: Callable[[Event], object] | None = None
    ) -> Answer:
        """Ask the same question again, with the fact that `result` asks for. Streams when there is an `on_event`.

        Raises `InvalidRequestError` when it asks for none. The next result may ask for another fact.
        """
        body = make_followup(result, answer)
        return (
            await self._ask(body)
            if on_event is None
            else await self._stream_to_result(stream.ANSWER, body, on_event=on_event)
        )

    async def collaborate(
        self,
        query: str,
        *,
        experts: Sequence[str],
        mode: Mode = "debate",
        max_rounds: int = 3,
        facts: Facts | None = None,
        on_event: Callable[[CollaborationEvent], object] | None = None,
    ) -> Collaboration:
        """Ask two to five plugins that hear each other: what each says, where they agree, where they contradict each
        other. In a `review` the first answers, and the others hold that against their documents. Streams when there is
        an `on_event`."""
        body = self._collaboration_body(query, experts=experts, mode=mode, max_rounds=max_rounds, facts=facts)
        if on_event is not None:
            return await self._stream_to_result(stream.COLLABORATION, body, on_event=on_event)
        return collaborations.collaboration(await self._send("POST", stream.COLLABORATION.path, json=body))

    def collaborate_stream(
        self,
        query: str,
        *,
        experts: Sequence[str],
        mode: Mode = "debate",
        max_rounds: int = 3,
        facts: Facts | None = None,
    ) -> AsyncGenerator[CollaborationEvent, None]:
        """The same, as it is made. The last event is a `CollaborationDoneEvent` or an `ErrorEvent`.

        Raises `StreamInterrupted` when the stream breaks off. Close the generator to stop early.
        """
        body = self._collaboration_body(query, experts=experts, mode=mode, max_rounds=max_rounds, facts=facts)
        return self._stream(stream.COLLABORATION, body)

    async def review(
        self,
        document: str,
        *,
        title: str = "Untitled",
        plugin: str | None = None,
        on_event: Callable[[ReviewEvent], object] | None = None,
    ) -> DocumentReview:
        """Hold a text against what a plugin's documents say. Streams when there is an `on_event`."""
        body = self._review_body(document, title=title, plugin=plugin)
        if on_event is not None:
            return await self._stream_to_result(stream.REVIEW, body, on_event=on_event)
        return reviews.review(await self._send("POST", stream.REVIEW.path, json=body))

    def review_stream(
        self, document: str, *, title: str = "Untitled", plugin: str | None = None
    ) -> AsyncGenerator[ReviewEvent, None]:
        """The same, annotation by annotation. The last event is a `ReviewDoneEvent` or an `ErrorEvent`.

        Raises `StreamInterrupted` when the stream breaks off. Close the generator to stop early.
        """
        return self._stream(stream.REVIEW, self._review_body(document, title=title, plugin=plugin))

    async def me(self) -> Me:
        """Whose key this is, and what it may do."""
        return normalise.me(await self._send("GET", ME))

    async def plugins(self) -> list[PluginInfo]:
        """The published plugins. Raises `NotFoundError` where the server has no marketplace."""
        found: list[PluginInfo] = []
        path = MARKETPLACE
        for _ in range(MAX_PAGES):
            page = await self._send("GET", path)
            found += normalise.plugins(page)
            following = responses.next_page_query(page)
            if following is None:
                break
            path = f"{MARKETPLACE}?{following}"
        return found

    async def plugin(self, slug: str) -> PluginInfo:
        """A plugin that you work on, with its `config`. The key needs `read`. Raises `NotFoundError`."""
        return normalise.plugin(await self._send("GET", plugin_path(slug)))

    # --- Sending ---------------------------------------------------------------------------------------------

    async def _ask(self, body: dict[str, Any]) -> Answer:
        return normalise.answer(await self._send("POST", stream.ANSWER.path, json=body), request=body)

    async def _send(self, method: str, path: str, *, json: Any = None) -> Any:
        request = self._request(method, path, json=json)
        attempts = Attempts()
        while True:
            try:
                with responses.translate_errors(request):
                    async with self._http.stream(**request) as response:
                        return await self._read(response)
            except LexicError as error:
                wait = self._wait_after(error, attempts=attempts)
            await self._sleep(wait)

    async def _read(self, response: httpx.Response) -> Any:
        body = responses.ResponseBody()
        async for piece in response.aiter_bytes():
            body.add(piece)
        return responses.response_json(response, body, key=self._key)

    async def _stream(self, kind: StreamFormat[EventT, Any], body: dict[str, Any]) -> AsyncGenerator[EventT, None]:
        attempts = Attempts()
        while True:
            reader = StreamReader(kind.read_event, request=body)
            try:
                async with aclosing(self._stream_once(kind, body, reader)) as events_of_attempt:
                    async for event in events_of_attempt:
                        yield event
                return
            except LexicError as error:
                wait = self._wait_after(error, attempts=attempts, reader=reader)
            await self._sleep(wait)

    async def _stream_once(
        self, kind: StreamFormat[EventT, Any], body: dict[str, Any], reader: StreamReader[EventT]
    ) -> AsyncGenerator[EventT, None]:
        request = self._request("POST", kind.path, json=body, stream=True)
        with responses.translate_errors(request):
            async with self._http.stream(**request) as response:
                if not responses.is_event_stream(response):  # an error, or a server that does not stream
                    yield kind.make_final(await self._read(response), body)
                    return
                reader.request_id = responses.request_id(request, response)
                async for chunk in response.aiter_bytes():
                    for event in reader.feed(chunk):
                        yield event
                    if reader.is_over:
                        return
                for event in reader.finish():
                    yield event

    async def _stream_to_result(
        self,
        kind: StreamFormat[EventT, ResultT],
        body: dict[str, Any],
        *,
        on_event: Callable[[EventT], object] | None,
    ) -> ResultT:
        async with aclosing(self._stream(kind, body)) as events:
            async for event in events:
                shown = on_event(event) if on_event is not None else None
                if inspect.isawaitable(shown):
                    await shown
                if isinstance(event, ErrorEvent):
                    raise event.as_exception()
                if isinstance(event, FinalEvent):
                    return cast(ResultT, event.result)
        raise StreamInterrupted
