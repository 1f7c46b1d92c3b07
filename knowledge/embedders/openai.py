"""Embeddings from OpenAI, or from any server that speaks its protocol: Ollama, Text Embeddings Inference."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from django.conf import settings

from knowledge.embedders.base import (
    MAX_DIMENSIONS,
    Embedder,
    EmbedderError,
    EmbedderRejected,
    EmbedderUnavailable,
    UnknownEmbedder,
)

if TYPE_CHECKING:
    import httpx2
    import openai

DEFAULT_MODEL = "text-embedding-3-small"
KNOWN_DIMENSIONS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}
BASE_URL = "https://api.openai.com/v1"
# A request may hold 300,000 tokens. Ours are estimated at three bytes each; at one it would still be within.
MAX_REQUEST_TOKENS = 100_000
MAX_RETRY_AFTER_SECONDS = 10.0
TRANSIENT_STATUSES = {408, 409, 429}


class OpenAIEmbedder(Embedder):
    """Named `openai`, `openai:MODEL` or `openai:MODEL:DIMENSIONS`; server and key come from the settings."""

    batch_size = 128
    prefix_of_name = "openai"
    settings_to_check = "OPENAI_API_KEY and OPENAI_BASE_URL"

    def __init__(self, name: str = "openai", *, timeout: float = 30.0, max_retries: int = 2) -> None:
        """Raises UnknownEmbedder when the dimensions are not known, or too many to be indexed."""
        self.model, asked = _parse_embedder_name(name, prefix=self.prefix_of_name)
        dimensions = asked or KNOWN_DIMENSIONS.get(self.model)
        if dimensions is None:
            raise UnknownEmbedder(
                f"How many dimensions {self.model[:80]!r} gives is not known.",
                hint=f"Put the number into the name, as in “{self.prefix_of_name}:{self.model[:80]}:1024”.",
            )
        if not 1 <= dimensions <= MAX_DIMENSIONS:
            raise UnknownEmbedder(f"An embedder may have 1 to {MAX_DIMENSIONS} dimensions, not {dimensions}.")
        super().__init__(name=name, dimensions=dimensions)
        self._server = f"The server of the embedder {name}"
        self._timeout, self._max_retries = timeout, max_retries
        # Only models that can shorten their vectors take the parameter, so it is sent when it says something.
        self._sends_dimensions = asked is not None and asked != KNOWN_DIMENSIONS.get(self.model)

    def embed_batch(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        import openai  # slow import

        # The protocol refuses empty strings.
        texts = [text or " " for text in texts]
        try:
            return self._vectors(texts)
        except openai.OpenAIError as error:
            raise self._translate_error(error) from error
        except (ValueError, TypeError, AttributeError) as error:
            # What the client raises when the body is not what the protocol promises: a proxy's page, say.
            raise EmbedderUnavailable(f"{self._server} sent no readable answer.") from error

    def batches(self, texts: Sequence[str]) -> Iterator[Sequence[str]]:
        batch: list[str] = []
        tokens = 0
        for text in texts:
            cost = self.count_tokens(text)
            if batch and (len(batch) == self.batch_size or tokens + cost > MAX_REQUEST_TOKENS):
                yield batch
                batch, tokens = [], 0
            batch.append(text)
            tokens += cost
        yield batch

    def _vectors(self, texts: Sequence[str]) -> list[list[float]]:
        import openai  # slow import

        create = self._client().embeddings.create
        dimensions = self.dimensions if self._sends_dimensions else openai.omit
        try:
            answer = create(model=self.model, input=list(texts), dimensions=dimensions)
        except openai.BadRequestError as error:
            if not self._sends_dimensions or "dimensions" not in f"{error.message} {error.param}":
                raise
            # A model of one fixed length refuses the parameter. The length is checked with or without it.
            self._sends_dimensions = False
            answer = create(model=self.model, input=list(texts))
        return [[float(x) for x in item.embedding] for item in sorted(answer.data, key=lambda item: item.index)]

    def _client(self) -> openai.OpenAI:
        api_key, base_url = self._account()
        client = _get_client(api_key=api_key, base_url=base_url)
        return client.with_options(timeout=self._timeout, max_retries=self._max_retries)

    def _account(self) -> tuple[str, str]:
        """The key and the base URL. Raises EmbedderRejected where there is no key."""
        if not settings.OPENAI_API_KEY:
            raise EmbedderRejected(
                f"The embedder {self.name} needs an API key.",
                code="embedder_key_missing",
                hint="Set OPENAI_API_KEY (any word, if your OPENAI_BASE_URL asks for none), or use “local”.",
            )
        return settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL or BASE_URL

    def _translate_error(self, error: openai.OpenAIError) -> EmbedderError:
        import openai  # slow import

        if isinstance(error, openai.APIStatusError):
            return self._status_error(error)
        if isinstance(error, openai.APITimeoutError):
            return EmbedderUnavailable(f"{self._server} did not answer in time.")
        if isinstance(error, openai.APIConnectionError):
            return EmbedderUnavailable(f"{self._server} cannot be reached.")
        return EmbedderUnavailable(f"{self._server} sent no readable answer.")

    def _status_error(self, error: openai.APIStatusError) -> EmbedderError:
        status = error.status_code
        if error.code == "insufficient_quota":
            return EmbedderRejected(f"The account behind the embedder {self.name} has no credit left.")
        if status in TRANSIENT_STATUSES or status >= 500:
            return EmbedderUnavailable(f"{self._server} is overloaded or failing ({status}).")
        if status in {401, 403}:
            # Its own message may quote part of the key.
            return EmbedderRejected(
                f"{self._server} does not accept the API key ({status}).",
                hint=f"Check {self.settings_to_check}.",
            )
        reason = error.message.replace(self._account()[0], "…")[:200]
        return EmbedderRejected(f"{self._server} refused the request: {reason}")


class ServerEmbedder(OpenAIEmbedder):
    """Named `server:MODEL:DIMENSIONS`: a model on a server of embeddings that asks for no key (Ollama, Text Embeddings
    Inference), where the setting EMBEDDING_SERVER_URL says. The same model gives the same vectors on either."""

    batch_size = 32  # Text Embeddings Inference takes no more, unless it is told to
    prefix_of_name = "server"
    settings_to_check = "EMBEDDING_URL, and that the server asks for no key"

    def __init__(self, name: str, *, timeout: float = 60.0, max_retries: int = 2) -> None:
        """Raises UnknownEmbedder when model or dimensions are not named, or there are too many to be indexed."""
        if _parse_embedder_name(name, prefix=self.prefix_of_name)[1] is None:
            raise UnknownEmbedder(
                f"The embedder {name[:80]!r} does not say which model, in how many dimensions.",
                hint="Name both, as in “server:bge-m3:1024”.",
            )
        super().__init__(name, timeout=timeout, max_retries=max_retries)
        self._sends_dimensions = False

    def _account(self) -> tuple[str, str]:
        return "none", settings.EMBEDDING_SERVER_URL


def _parse_embedder_name(name: str, *, prefix: str) -> tuple[str, int | None]:
    """Model and dimensions of `PREFIX[:MODEL[:DIMENSIONS]]`. A model's own name may contain colons."""
    given, _, rest = name.partition(":")
    if given != prefix:
        raise UnknownEmbedder(f"There is no embedder named {name[:80]!r}.")
    model, _, last = rest.rpartition(":")
    if model and last.isascii() and last.isdigit() and len(last) <= 9:
        return model, int(last)
    return rest or DEFAULT_MODEL, None


# One client, with its connections, per process and account: a fork must not share sockets.
_clients: dict[tuple[int, str, str], openai.OpenAI] = {}


def _get_client(*, api_key: str, base_url: str) -> openai.OpenAI:
    account = (os.getpid(), api_key, base_url)
    if account not in _clients:
        import openai  # slow import

        transport = openai.DefaultHttpxClient(event_hooks={"response": [_cap_retry_after]})
        _clients.setdefault(account, openai.OpenAI(api_key=api_key, base_url=base_url, http_client=transport))
    return _clients[account]


def close_clients() -> None:
    """Close the connections that this process has opened; the next use opens new ones."""
    for account in [account for account in _clients if account[0] == os.getpid()]:
        _clients.pop(account).close()


def _cap_retry_after(response: httpx2.Response) -> None:
    """Left alone, the client sleeps as long as the server asks, up to two minutes, in the caller's thread."""
    try:
        wait = float(response.headers.get("retry-after", 0))
    except ValueError:
        wait = MAX_RETRY_AFTER_SECONDS + 1  # a date; servers that send one mean a while
    if wait > MAX_RETRY_AFTER_SECONDS:
        response.headers["x-should-retry"] = "false"
