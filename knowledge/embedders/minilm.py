"""all-MiniLM-L6-v2: the graph is built from the published weights by OpenVINO's own operations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from knowledge.embedders.bert import GRAPH_SOURCES, CompiledModel, GraphBuilder, Precision, pad_rows, usual_precision
from knowledge.embedders.int8 import load_inputs
from knowledge.embedders.model_cache import ModelCache
from knowledge.embedders.wordpiece import PAD_ID

if TYPE_CHECKING:
    from numpy.typing import NDArray

    ModelOutput = tuple[NDArray[np.float32], NDArray[np.float32]]

LAYERS = 6
WORD_TABLE = "embeddings.word_embeddings.weight"
INT8_INPUTS = Path(__file__).with_name("minilm_int8.safetensors")
_SOURCES = (INT8_INPUTS, Path(__file__), *GRAPH_SOURCES)


class MiniLM:
    """The compiled model. Any number of threads may call it at once; a forked process must build its own."""

    def __init__(
        self, weights: Path, *, precision: Precision | None = None, threads: int = 0, cache_folder: Path | None = None
    ) -> None:
        """`precision` None: the usual one of this processor. The compiled model is kept in `cache_folder`."""
        precision = precision or usual_precision()
        self._compiled = CompiledModel(
            partial(_build_graph, weights, precision),
            precision=precision,
            threads=threads,
            cache=ModelCache(folder=cache_folder, name=f"minilm-{precision}", sources=(weights, *_SOURCES))
            if cache_folder
            else None,
        )
        self.precision = precision

    def infer(self, batches: Iterable[Sequence[Sequence[int]]]) -> Iterator[ModelOutput]:
        """For each batch of rows of token numbers, in order: token states [rows, longest row or more, 384] and unit
        vectors [rows, 384]. Several batches are read at once.

        States beyond the end of a row are meaningless.
        """
        for outputs in self._compiled.infer([pad_rows(rows, value=PAD_ID)] for rows in batches):
            yield outputs[0], outputs[1]


def _build_graph(weights: Path, precision: Precision) -> Any:
    from safetensors.numpy import load_file  # slow import

    return MiniLMGraph(load_file(weights), load_inputs(INT8_INPUTS) if precision == "int8" else {}).model()


class MiniLMGraph(GraphBuilder):
    """Token numbers [batch, tokens], padded with zeros → token states and mean-pooled unit vectors."""

    def model(self) -> Any:
        import openvino  # slow import

        ops = self.ops
        ids = ops.parameter([-1, -1], np.int64, name="ids")
        is_token = ops.not_equal(ids, self.integers(PAD_ID))
        attended = ops.unsqueeze(is_token, self.integers(1, 2))
        states = self.embeddings(ops.gather(self.weight(WORD_TABLE), ids, self.integers(0)))
        for number in range(LAYERS):
            states = self.layer(states, attended, f"encoder.layer.{number}")
        results = [ops.result(states), ops.result(self._mean_pool(states, is_token))]
        return openvino.Model(results, [ids], "minilm")

    def _mean_pool(self, states: Any, is_token: Any) -> Any:
        ops = self.ops
        weight = ops.unsqueeze(ops.convert(is_token, "f32"), self.integers(2))
        total = ops.reduce_sum(ops.multiply(states, weight), self.integers(1))
        mean = ops.divide(total, ops.reduce_sum(weight, self.integers(1)))
        return ops.normalize_l2(mean, self.integers(1), 1e-12, "max")
