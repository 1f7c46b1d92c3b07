"""The client for ordinary code. `async_client` is the same for async code."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
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


class Lexic(Connection):
    """Asks the plugins of one Lexic server. Safe to share between threads, `set_active_plugin` aside.

    `api_key` and `base_url` fall back to the variables LEXIC_API_KEY and LEXIC_BASE_URL. `timeout` is in seconds,
    for connecting, for each wait for data, and in all for an earlier attempt that is still being answered.
    `max_retries` counts attempts after the first, made for 429, 502, 503, 504 and connections that fail. Raises
    `ConfigurationError`; every call raises `LexicError`.
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
        http_client: httpx.Client | None = None,
        sleep: Callable[[float], None] = time.sleep,
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
        self._http = http_client or httpx.Client()
        self._sleep = sleep

    def __enter__(self) -> Lexic:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._owns_http:
            self._http.close()

    def query(
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
        return self._ask(body)

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
    ) -> Generator[Event, None, None]:
        """Ask, and get the answer as it is made. The last event is a `DoneEvent` or an `ErrorEvent`.

        Raises `StreamInterrupted` when the stream breaks off. Close the generator to stop early.
        """
        question: dict[str, Any] = {"context": context, "options": options, "facts": facts, "filters": filters}
        body = self._body(query, plugin=plugin, plugins=plugins, **question)
        return self._stream(stream.ANSWER, body)

    def query_stream_to_result(
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
        """Ask, show each event to `on_event`, and give the answer. An error event is raised after it was shown."""
        question: dict[str, Any] = {"context": context, "options": options, "facts": facts, "filters": filters}
        body = self._body(query, plugin=plugin, plugins=plugins, **question)
        return self._stream_to_result(stream.ANSWER, body, on_event=on_event)

    def answer_clarification(
        self, result: Answer, answer: Fact, *, on_event: Callable[[Event], object] | None = None
    ) -> Answer:
        """Ask the same question again, with the fact that `result` asks for. Streams when there is an `on_event`.

        Raises `InvalidRequestError` when it asks for none. The next result may ask for another fact.
        """
        body = make_followup(result, answer)
        return self._ask(body) if on_event is None else self._stream_to_result(stream.ANSWER, body, on_event=on_event)

    def collaborate(
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
            return self._stream_to_result(stream.COLLABORATION, body, on_event=on_event)
        return collaborations.collaboration(self._send("POST", stream.COLLABORATION.path, json=body))

    def collaborate_stream(
        self,
        query: str,
        *,
        experts: Sequence[str],
        mode: Mode = "debate",
        max_rounds: int = 3,
        facts: Facts | None = None,
    ) -> Generator[CollaborationEvent, None, None]:
        """The same, as it is made. The last event is a `CollaborationDoneEvent` or an `ErrorEvent`.

        Raises `StreamInterrupted` when the stream breaks off. Close the generator to stop early.
        """
        body = self._collaboration_body(query, experts=experts, mode=mode, max_rounds=max_rounds, facts=facts)
        return self._stream(stream.COLLABORATION, body)

    def review(
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
            return self._stream_to_result(stream.REVIEW, body, on_event=on_event)
        return reviews.review(self._send("POST", stream.REVIEW.path, json=body))

    def review_stream(
        self, document: str, *, title: str = "Untitled", plugin: str | None = None
    ) -> Generator[ReviewEvent, None, None]:
        """The same, annotation by annotation. The last event is a `ReviewDoneEvent` or an `ErrorEvent`.

        Raises `StreamInterrupted` when the stream breaks off. Close the generator to stop early.
        """
        return self._stream(stream.REVIEW, self._review_body(document, title=title, plugin=plugin))

    def me(self) -> Me:
        """Whose key this is, and what it may do."""
        return normalise.me(self._send("GET", ME))

    def plugins(self) -> list[PluginInfo]:
        """The published plugins. Raises `NotFoundError` where the server has no marketplace."""
        found: list[PluginInfo] = []
        path = MARKETPLACE
        for _ in range(MAX_PAGES):
            page = self._send("GET", path)
            found += normalise.plugins(page)
            following = responses.next_page_query(page)
            if following is None:
                break
            path = f"{MARKETPLACE}?{following}"
        return found

    def plugin(self, slug: str) -> PluginInfo:
        """A plugin that you work on, with its `config`. The key needs `read`. Raises `NotFoundError`."""
        return normalise.plugin(self._send("GET", plugin_path(slug)))

    # --- Sending ---------------------------------------------------------------------------------------------

    def _ask(self, body: dict[str, Any]) -> Answer:
        return normalise.answer(self._send("POST", stream.ANSWER.path, json=body), request=body)

    def _send(self, method: str, path: str, *, json: Any = None) -> Any:
        request = self._request(method, path, json=json)
        attempts = Attempts()
        while True:
            try:
                with responses.translate_errors(request), self._http.stream(**request) as response:
                    return self._read(response)
            except LexicError as error:
                wait = self._wait_after(error, attempts=attempts)
            self._sleep(wait)

    def _read(self, response: httpx.Response) -> Any:
        body = responses.ResponseBody()
        for piece in response.iter_bytes():
            body.add(piece)
        return responses.response_json(response, body, key=self._key)

    def _stream(self, kind: StreamFormat[EventT, Any], body: dict[str, Any]) -> Generator[EventT, None, None]:
        attempts = Attempts()
        while True:
            reader = StreamReader(kind.read_event, request=body)
            try:
                yield from self._stream_once(kind, body, reader)
                return
            except LexicError as error:
                wait = self._wait_after(error, attempts=attempts, reader=reader)
            self._sleep(wait)

    def _stream_once(
        self, kind: StreamFormat[EventT, Any], body: dict[str, Any], reader: StreamReader[EventT]
    ) -> Generator[EventT, None, None]:
        request = self._request("POST", kind.path, json=body, stream=True)
        with responses.translate_errors(request), self._http.stream(**request) as response:
            if not responses.is_event_stream(response):  # an error, or a server that does not stream
                yield kind.make_final(self._read(response), body)
                return
            reader.request_id = responses.request_id(request, response)
            for chunk in response.iter_bytes():
                yield from reader.feed(chunk)
                if reader.is_over:
                    return
            yield from reader.finish()

    def _stream_to_result(
        self,
        kind: StreamFormat[EventT, ResultT],
        body: dict[str, Any],
        *,
        on_event: Callable[[EventT], object] | None,
    ) -> ResultT:
        events = self._stream(kind, body)
        try:
            for event in events:
                if on_event is not None:
                    on_event(event)
                if isinstance(event, ErrorEvent):
                    raise event.as_exception()
                if isinstance(event, FinalEvent):
                    return cast(ResultT, event.result)
        finally:
            events.close()
        raise StreamInterrupted
