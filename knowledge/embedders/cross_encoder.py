"""A network that reads a question together with a text, and says how likely they belong together.

Its tokens and its lower layers are MiniLM's; the upper ones and the heads are trained for what is asked of it
(`training/`, docs/cross-encoder.md). Beside its number each token has a mark: whose it is, and whether the other text
has the same one (Nogueira and Cho 2019; the marks are ours).
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from knowledge.embedders import cross_encoder_input, local_embedder, minilm
from knowledge.embedders.bert import (
    DIMENSIONS,
    GRAPH_SOURCES,
    CompiledModel,
    GraphBuilder,
    Precision,
    pad_rows,
    usual_precision,
)
from knowledge.embedders.int8 import load_inputs
from knowledge.embedders.local import model_folder
from knowledge.embedders.model_cache import ModelCache
from knowledge.embedders.wordpiece import PAD_ID

if TYPE_CHECKING:
    from numpy.typing import NDArray

    # The token numbers of a question and of a text.
    Pair = tuple[Sequence[int], Sequence[int]]

FROZEN_LAYERS = 2  # MiniLM's own
_LOWER_PARTS = (
    "embeddings.position",
    "embeddings.token_type",
    "embeddings.LayerNorm",
    *(f"encoder.layer.{number}." for number in range(FROZEN_LAYERS)),
)


class CrossEncoder:
    """The compiled model. Any number of threads may call it at once; a forked process must build its own."""

    def __init__(
        self,
        weights: Path,
        *,
        int8_inputs: Path | None = None,
        precision: Precision | None = None,
        threads: int = 0,
        cache_folder: Path | None = None,
    ) -> None:
        """`weights` as `training/export.py` writes them. `precision` None: the usual one of this processor; int8 only
        with the ranges of `int8_inputs`, without which it raises ValueError. The compiled model is kept in
        `cache_folder`."""
        if precision == "int8" and int8_inputs is None:
            raise ValueError("eight bits need the ranges of what is rounded")
        from safetensors import safe_open  # slow import

        self.tokenizer = local_embedder().tokenizer
        trained: Any = safe_open(weights, framework="np")
        self._function_words = frozenset(trained.get_tensor("function_word_ids").tolist())
        self._word_table = _mapped_word_table(_minilm_weights())
        self.precision = precision = precision or _usual_precision(int8_inputs)
        sources = (weights, int8_inputs, _minilm_weights(), Path(__file__), *GRAPH_SOURCES)
        self._compiled = CompiledModel(
            partial(_build_graph, weights, int8_inputs if precision == "int8" else None),
            precision=precision,
            threads=threads,
            cache=ModelCache(
                folder=cache_folder, name=f"{weights.stem}-{precision}", sources=[each for each in sources if each]
            )
            if cache_folder
            else None,
        )

    def pair_probabilities(self, pairs: Sequence[Pair]) -> list[float]:
        """How likely each pair belongs together, 0 to 1, as the training pairs have it; not calibrated. One run."""
        if not pairs:
            return []
        ((found,),) = self._compiled.infer([self.pair_inputs(pairs)])
        return [float(one) for one in found]

    def pair_inputs(self, pairs: Sequence[Pair]) -> list[NDArray[Any]]:
        """What the graph reads of them, a row each."""
        ids, marks = zip(*(self.pair_tokens(*pair) for pair in pairs), strict=True)
        padded = pad_rows(ids, value=PAD_ID)
        return [padded, self._word_table[padded], pad_rows(marks, value=cross_encoder_input.SPECIAL)]

    def pair_tokens(self, question: Sequence[int], text: Sequence[int]) -> tuple[list[int], list[int]]:
        """Token numbers and marks of the pair."""
        return cross_encoder_input.pair_tokens(question, text, function_words=self._function_words)


def log_odds(probability: float, *, most: float) -> float:
    """Of a probability, between -`most` and `most`."""
    odds = math.log(max(probability, 1e-9) / max(1 - probability, 1e-9))
    return max(-most, min(most, odds))


def _usual_precision(int8_inputs: Path | None) -> Precision:
    usual = usual_precision()
    return "bf16" if usual == "int8" and int8_inputs is None else usual


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


def _build_graph(weights: Path, int8_inputs: Path | None) -> Any:
    return CrossEncoderGraph(load_weights(weights), load_inputs(int8_inputs) if int8_inputs else {}).model()


def load_weights(path: Path) -> dict[str, NDArray[np.float32]]:
    """MiniLM's and the trained ones of the file, by name, without the words'."""
    from safetensors import safe_open  # slow import
    from safetensors.numpy import load_file

    published: Any = safe_open(_minilm_weights(), framework="np")
    lower = {name: published.get_tensor(name) for name in published.keys() if name.startswith(_LOWER_PARTS)}  # noqa: SIM118
    return {**lower, **_dequantized(load_file(path))}


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
        """The probabilities, from the first state and the weighted mean of the text's states. The head `place` gives
        the weights: in an excerpt, how likely the token answers."""
        ops = self.ops
        is_text = ops.logical_or(
            ops.equal(marks, self.integers(cross_encoder_input.TEXT)),
            ops.equal(marks, self.integers(cross_encoder_input.SHARED_TEXT)),
        )
        place = ops.squeeze(self.linear(states, "place"), self.integers(2))
        place = ops.softmax(ops.select(is_text, place, ops.constant(np.float32(-30))), 1)
        pooled = ops.reduce_sum(ops.multiply(states, ops.unsqueeze(place, self.integers(2))), self.integers(1))
        first = ops.squeeze(ops.slice(states, *map(self.integers, (0, 1, 1, 1))), self.integers(1))
        hidden = ops.gelu(self.linear(ops.concat([first, pooled], 1), "hidden"), "erf")
        return ops.sigmoid(ops.squeeze(self.linear(hidden, "answers"), self.integers(1)))
