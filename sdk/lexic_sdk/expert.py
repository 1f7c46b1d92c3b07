"""How the adapters ask: with a new client for each question, so that none is left open or tied to an event loop."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from lexic_sdk.async_client import AsyncLexic
from lexic_sdk.client import Lexic
from lexic_sdk.question import Facts, Options
from lexic_sdk.results import Answer

DESCRIPTION = (
    "Consult an expert whose answers cite the page that bears them out. Give one whole question with everything that "
    "is known. When the result has a clarification, call again with the same question and the missing fact in `facts`."
)
QUERY_DESCRIPTION = "The question, in full sentences, with everything that is known about the case."
FACTS_DESCRIPTION = "Facts that a clarification asked for: its `field` as the name, the answer as the value."


class Expert:
    """Where and how to ask. Clients that are passed in are used and left open."""

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        query_options: Options | None = None,
        timeout: float = 120.0,
        allow_http: bool = False,
        client: Lexic | None = None,
        async_client: AsyncLexic | None = None,
    ) -> None:
        """Raises `ConfigurationError` now, and not when an agent first asks."""

        # Closures, so that the key is in no attribute.
        def open_client() -> Lexic:
            return Lexic(api_key, base_url=base_url, timeout=timeout, allow_http=allow_http)

        def open_async_client() -> AsyncLexic:
            return AsyncLexic(api_key, base_url=base_url, timeout=timeout, allow_http=allow_http)

        self._open, self._open_async = open_client, open_async_client
        self._client, self._async_client = client, async_client
        self._options = query_options
        if client is None and async_client is None:
            open_client().close()

    def ask(self, query: str, *, plugin: str, facts: Facts | None = None) -> Answer:
        with self._lexic() as lexic:
            return lexic.query(query, plugin=plugin, options=self._options, facts=facts)

    async def ask_async(self, query: str, *, plugin: str, facts: Facts | None = None) -> Answer:
        async with self._async_lexic() as lexic:
            return await lexic.query(query, plugin=plugin, options=self._options, facts=facts)

    @contextmanager
    def _lexic(self) -> Iterator[Lexic]:
        if self._client is not None:
            yield self._client
        else:
            with self._open() as opened:
                yield opened

    @asynccontextmanager
    async def _async_lexic(self) -> AsyncIterator[AsyncLexic]:
        if self._async_client is not None:
            yield self._async_client
        else:
            async with self._open_async() as opened:
                yield opened
