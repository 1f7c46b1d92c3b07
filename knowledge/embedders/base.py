"""The interface of embedders, and what they share: batches, checks, unit length, a cache of questions.

To add an embedder, subclass `Embedder`, call `super().__init__(name=..., dimensions=...)` and write its one required
method, `embed_batch`: texts in, one vector each out, in the same order; the base class scales them to length one. Raise
EmbedderUnavailable when trying again may help, EmbedderRejected when it cannot. Then give the class a prefix in
`EMBEDDERS` of this package. Override `batch_size` or `batches` when the provider limits a request; `cut`,
`count_tokens` and `window_spans` when the model reads only so much text.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from lexic.errors import LexicError

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_TITLE_TOKENS = 48
CACHED_QUESTIONS = 1024
MAX_CACHED_LENGTH = 2000
BYTES_PER_TOKEN = 3
MAX_DIMENSIONS = 4000  # pgvector indexes no half-precision vectors beyond it


class EmbedderError(LexicError):
    """The text could not be embedded."""

    code = "embedder_error"
    status = 502
    retryable = False


class EmbedderUnavailable(EmbedderError):
    """The embedder cannot be reached or is overloaded just now."""

    code = "embedder_unavailable"
    status = 503
    hint = "Try again in a little while."
    retryable = True


class EmbedderRejected(EmbedderError):
    """The embedder refused the request, or returned something that is no embedding."""

    code = "embedder_rejected"
    hint = "Check the embedder's name, its key and its settings; trying again will not help."


class UnknownEmbedder(LexicError):
    """There is no embedder of this name."""

    code = "unknown_embedder"
    status = 400
    hint = "Write “local”, “openai:MODEL” or “openai:MODEL:DIMENSIONS”."


@dataclass(frozen=True, kw_only=True)
class EmbeddedChunk:
    """What is stored of the windows of one chunk: unit vectors float16 [windows, dimensions], and for each window the
    packed states of its own tokens (`packed_states.py`); none where they are not kept."""

    vectors: NDArray[np.float16]
    states: tuple[bytes, ...] = ()


class Embedder(ABC):
    """Texts in, unit vectors out. One instance serves all threads of a process."""

    is_offline: bool = False
    has_token_states: bool = False  # that `embed_chunks` can give
    batch_size: int = 128

    def __init__(self, *, name: str, dimensions: int) -> None:
        self.name = name
        self.dimensions = dimensions
        self._embed_cached = lru_cache(maxsize=CACHED_QUESTIONS)(self._embed_single)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name} {self.dimensions}>"

    def understands(self, text: str) -> bool:
        """Whether the model was trained on texts in these letters; a text that it does not understand is searched by
        its words alone."""
        return True

    @abstractmethod
    def embed_batch(self, texts: Sequence[str]) -> NDArray[np.float32] | Sequence[Sequence[float]]:
        """One vector per text, in order. At least one text, and no more than `batches` puts together.

        Raises EmbedderError. Length, finiteness and norm are the base's business.
        """

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """float32 [len(texts), dimensions] with rows of length one, in order. Raises EmbedderError."""
        if not texts:
            return np.empty((0, self.dimensions), np.float32)
        batches = self.batches([replace_surrogates(text) for text in texts])
        return np.concatenate([self._unit_rows(batch) for batch in batches])

    def embed_chunks(self, texts: Sequence[tuple[str, str]], *, keeps_states: bool = False) -> list[EmbeddedChunk]:
        """The windows of every text, in order, given as `(title path, content)`. Token states come with them where
        they are wanted and the embedder has some. Raises EmbedderError."""
        windows = [self.windows(title_path=path, text=text) for path, text in texts]
        vectors = self.embed([window for one in windows for window in one]).astype(np.float16)
        ends = np.cumsum([len(one) for one in windows])
        return [EmbeddedChunk(vectors=own) for own in np.split(vectors, ends[:-1])] if windows else []

    def embed_one(self, text: str) -> NDArray[np.float32]:
        """float32 [dimensions], read-only: what `embed` says of the text with its white space tidied.

        Recent short texts are remembered. Raises EmbedderError, which is not remembered.
        """
        text = " ".join(text.split())
        return self._embed_cached(text) if len(text) <= MAX_CACHED_LENGTH else self._embed_single(text)

    def batches(self, texts: Sequence[str]) -> Iterator[Sequence[str]]:
        """The texts in consecutive groups, each small enough for one `embed_batch`."""
        for start in range(0, len(texts), self.batch_size):
            yield texts[start : start + self.batch_size]

    def count_tokens(self, text: str) -> int:
        """How many tokens the text costs: exact where the embedder has a tokenizer, else rather too many."""
        return math.ceil(len(replace_surrogates(text).encode()) / BYTES_PER_TOKEN)

    def cut(self, text: str, *, tokens: int) -> str:
        """The beginning of the text, as far as so many tokens reach."""
        return replace_surrogates(text).encode()[: tokens * BYTES_PER_TOKEN].decode(errors="ignore")

    def windows(self, *, title_path: str, text: str) -> list[str]:
        """The texts to embed for one chunk, at least one: title path, full stop, and a window of the text."""
        prefix = self.prefix(title_path)
        spans = self.window_spans(title_path=title_path, text=text)
        return [prefix + text[start:end] for start, end in spans]

    def window_spans(self, *, title_path: str, text: str) -> list[tuple[int, int]]:
        """The (start, end) of each of `windows` in the text: they cover all of it, and may overlap."""
        return [(0, len(text))]

    def prefix(self, title_path: str) -> str:
        """What `windows` puts before each window, so that it knows what it is about."""
        title = self.cut(title_path.strip(), tokens=MAX_TITLE_TOKENS).rstrip()
        return f"{title}. " if title else ""

    def _embed_single(self, text: str) -> NDArray[np.float32]:
        vector = self.embed([text])[0]
        vector.setflags(write=False)  # shared by every caller that asks the same
        return vector

    def _unit_rows(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.unit_rows(self.embed_batch(texts), expected=len(texts))

    def unit_rows(self, vectors: Any, *, expected: int) -> NDArray[np.float32]:
        """The vectors, of which so many are expected, each of length one. Raises EmbedderRejected."""
        self._check_shape(vectors, expected=expected)
        matrix = np.asarray(vectors, dtype=np.float64)
        norms = np.linalg.norm(matrix, axis=1, keepdims=True)
        if not np.isfinite(norms).all() or not norms.all():
            raise EmbedderRejected(f"The embedder {self.name} returned a vector that is all zeros or not finite.")
        return (matrix / norms).astype(np.float32)

    def _check_shape(self, vectors: Any, *, expected: int) -> None:
        if len(vectors) != expected:
            raise EmbedderRejected(f"The embedder {self.name} returned {len(vectors)} vectors for {expected} texts.")
        for vector in vectors:
            if len(vector) != self.dimensions:
                raise EmbedderRejected(
                    f"The embedder {self.name} should return vectors of {self.dimensions} dimensions,"
                    f" and returned {len(vector)}.",
                    hint=f"If the model is meant to give {len(vector)}, put that number into the embedder's name.",
                )


def replace_surrogates(text: str) -> str:
    """The text of the same length with a question mark for each lone surrogate, which no encoder takes."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
