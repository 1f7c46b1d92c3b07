"""Does an excerpt answer a question? A cross-encoder reads both together, where the late interaction compares words.

Its tokens and its lower layers are MiniLM's; the upper ones and the heads were trained by `training/`, and the model
card is docs/cross-encoder.md. Beside its number each token has a mark: whose it is, and whether the other text has the
same one (Nogueira and Cho 2019; the marks are ours).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from django.conf import settings

from knowledge.embedders import local_embedder, minilm
from knowledge.embedders.bert import (
    DIMENSIONS,
    GRAPH_SOURCES,
    CompiledModel,
    GraphBuilder,
    PerProcess,
    Precision,
    pad_rows,
    usual_precision,
)
from knowledge.embedders.int8 import load_inputs
from knowledge.embedders.local import model_folder
from knowledge.embedders.model_cache import ModelCache
from knowledge.embedders.wordpiece import PAD_ID
from querying.retrieval import cross_encoder_input

if TYPE_CHECKING:
    from numpy.typing import NDArray

WEIGHTS = Path(__file__).with_name("cross_encoder.safetensors")
INT8_INPUTS = Path(__file__).with_name("cross_encoder_int8.safetensors")
FROZEN_LAYERS = 2  # MiniLM's own
_LOWER_PARTS = (
    "embeddings.position",
    "embeddings.token_type",
    "embeddings.LayerNorm",
    *(f"encoder.layer.{number}." for number in range(FROZEN_LAYERS)),
)


@dataclass(frozen=True, kw_only=True)
class Excerpt:
    """What is read of a passage: its title, and the tokens around `center`, a span (start, end) of `text`."""

    title: str
    text: str
    center: tuple[int, int]


class CrossEncoder:
    """The compiled model. Any number of threads may call it at once; a forked process must build its own."""

    def __init__(
        self, *, precision: Precision | None = None, threads: int = 0, cache_folder: Path | None = None
    ) -> None:
        """`precision` None: the usual one of this processor. The compiled model is kept in `cache_folder`."""
        from safetensors import safe_open  # slow import

        self._tokenizer = local_embedder().tokenizer
        trained: Any = safe_open(WEIGHTS, framework="np")
        self._function_words = frozenset(trained.get_tensor("function_word_ids").tolist())
        self._word_table = _mapped_word_table(_minilm_weights())
        self.precision = precision = precision or usual_precision()
        sources = (WEIGHTS, INT8_INPUTS, _minilm_weights(), Path(__file__), *GRAPH_SOURCES)
        self._compiled = CompiledModel(
            partial(_build_graph, precision),
            precision=precision,
            threads=threads,
            cache=ModelCache(folder=cache_folder, name=f"cross-encoder-{precision}", sources=sources)
            if cache_folder
            else None,
        )

    def probability(self, question: str, excerpt: Excerpt) -> float:
        """How likely the excerpt answers the question, 0 to 1, as the training pairs have it; not calibrated."""
        return self.probabilities(question, [excerpt])[0]

    def probabilities(self, question: str, excerpts: Sequence[Excerpt]) -> list[float]:
        """`probability` of several excerpts, computed in one run."""
        if not excerpts:
            return []
        ((answers,),) = self._compiled.infer([self.inputs(question, excerpts)])
        return [float(answer) for answer in answers]

    def inputs(self, question: str, excerpts: Sequence[Excerpt]) -> list[NDArray[Any]]:
        """What the graph reads of them, a row each."""
        ids, marks = zip(*(self._tokens_and_marks(question, excerpt) for excerpt in excerpts), strict=True)
        padded = pad_rows(ids, value=PAD_ID)
        return [padded, self._word_table[padded], pad_rows(marks, value=cross_encoder_input.SPECIAL)]

    def _tokens_and_marks(self, question: str, excerpt: Excerpt) -> tuple[list[int], list[int]]:
        asked = self._tokenizer.tokens(question).ids[: cross_encoder_input.MAX_QUESTION_TOKENS]
        read = self._excerpt_tokens(excerpt)
        return cross_encoder_input.pair_tokens(asked, read, function_words=self._function_words)

    def _excerpt_tokens(self, excerpt: Excerpt) -> list[int]:
        """The title's tokens, and as many of the text's as fit, those around the center in the middle."""
        title = self._tokenizer.tokens(cross_encoder_input.title_text(excerpt.title)).ids[
            : cross_encoder_input.MAX_TITLE_TOKENS
        ]
        tokens, room = self._tokenizer.tokens(excerpt.text), cross_encoder_input.MAX_EXCERPT_TOKENS - len(title)
        start, end = excerpt.center
        inside = [at for at, (first, last) in enumerate(tokens.offsets) if first < end and last > start] or [0]
        begin = max(0, min((inside[0] + inside[-1]) // 2 - room // 2, len(tokens.ids) - room))
        return [*title, *tokens.ids[begin : begin + room]]


_model = PerProcess(
    lambda: CrossEncoder(threads=settings.LEXIC_EMBEDDER_THREADS, cache_folder=settings.LEXIC_MODEL_CACHE_DIR)
)


def cross_encoder() -> CrossEncoder:
    """The one of this process. It is loaded on first use. Raises `EmbedderRejected` without MiniLM's files."""
    return _model.get()


def _minilm_weights() -> Path:
    return model_folder() / "model.safetensors"


def _mapped_word_table(weights: Path) -> NDArray[np.float32]:
    """MiniLM's rows of words, mapped: only those that occur are read, and all processes share them.

    safetensors reads ranges of rows alone, and one call for each token costs twenty times the rows themselves.
    """
    with weights.open("rb") as file:  # the header is JSON, behind its length
        header_length = int.from_bytes(file.read(8), "little")
        entry = json.loads(file.read(header_length))[minilm.WORD_TABLE]
    start = 8 + header_length + entry["data_offsets"][0]
    return np.memmap(weights, np.float32, mode="r", offset=start, shape=tuple(entry["shape"]))


def _build_graph(precision: Precision) -> Any:
    return CrossEncoderGraph(load_weights(), load_inputs(INT8_INPUTS) if precision == "int8" else {}).model()


def load_weights() -> dict[str, NDArray[np.float32]]:
    """MiniLM's and the trained ones, by name, without the words'."""
    from safetensors import safe_open  # slow import
    from safetensors.numpy import load_file

    published: Any = safe_open(_minilm_weights(), framework="np")
    lower = {name: published.get_tensor(name) for name in published.keys() if name.startswith(_LOWER_PARTS)}  # noqa: SIM118
    return {**lower, **_dequantized(load_file(WEIGHTS))}


def _dequantized(trained: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[np.float32]]:
    """Weights as float32. Matrices are kept as int8 with one scale for each row."""
    return {
        name: values.astype(np.float32) * trained[f"{name}.scale"][:, None]
        if f"{name}.scale" in trained
        else values.astype(np.float32)
        for name, values in trained.items()
        if not name.endswith(".scale")
    }


class CrossEncoderGraph(GraphBuilder):
    """Token numbers, rows of the word table [batch, tokens, 384] and marks → probabilities [batch]."""

    def model(self) -> Any:
        import openvino  # slow import

        ops = self.ops
        ids, marks = (ops.parameter([-1, -1], np.int64, name=name) for name in ("ids", "marks"))
        attended = ops.unsqueeze(ops.not_equal(ids, self.integers(PAD_ID)), self.integers(1, 2))
        words = ops.parameter([-1, -1, DIMENSIONS], np.float32, name="words")
        states = self.embeddings(words)
        for number in range(minilm.LAYERS):
            if number == FROZEN_LAYERS:
                states = ops.add(states, ops.gather(self.weight("marks.weight"), marks, self.integers(0)))
            states = self.layer(states, attended, f"encoder.layer.{number}")
        return openvino.Model([ops.result(self._answers(states, marks))], [ids, words, marks], "cross_encoder")

    def _answers(self, states: Any, marks: Any) -> Any:
        """The probabilities, from the first state and the mean of the excerpt's states, weighted by where the answer is
        likely to be."""
        ops = self.ops
        is_excerpt = ops.logical_or(
            ops.equal(marks, self.integers(cross_encoder_input.EXCERPT)),
            ops.equal(marks, self.integers(cross_encoder_input.SHARED_EXCERPT)),
        )
        place = ops.squeeze(self.linear(states, "place"), self.integers(2))
        place = ops.softmax(ops.select(is_excerpt, place, ops.constant(np.float32(-30))), 1)
        pooled = ops.reduce_sum(ops.multiply(states, ops.unsqueeze(place, self.integers(2))), self.integers(1))
        first = ops.squeeze(ops.slice(states, *map(self.integers, (0, 1, 1, 1))), self.integers(1))
        hidden = ops.gelu(self.linear(ops.concat([first, pooled], 1), "hidden"), "erf")
        return ops.sigmoid(ops.squeeze(self.linear(hidden, "answers"), self.integers(1)))
