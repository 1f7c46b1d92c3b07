"""all-MiniLM-L6-v2 on OpenVINO: the graph is built from the published weights by OpenVINO's own operations.

A BERT encoder of six layers, 384 wide, with twelve heads. Neither PyTorch nor ONNX takes part. Nothing here
phones home: OpenVINO's telemetry is a separate package that only its model converter uses.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from knowledge.embedders.wordpiece import PAD_ID

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Weights = dict[str, NDArray[np.float32]]
    ModelOutput = tuple[NDArray[np.float32], NDArray[np.float32]]

DIMENSIONS = 384
LAYERS = 6
HEADS = 12
PADDING_STEP = 8
# Batches that are read side by side, each by its share of the threads. Threads that read one batch together wait for
# each other at every step: on two busy cores four windows apart take little more than half the time of four in a batch.
# Each stream has memory of its own, so there are few.
MAX_STREAMS = 4
Precision = Literal["auto", "bf16", "f32"]


class MiniLM:
    """The compiled model. Any number of threads may call it at once; a forked process must build its own."""

    def __init__(self, weights: Path, *, precision: Precision = "auto", threads: int = 0) -> None:
        """`precision` auto: bf16 where the CPU computes in it, else f32; `threads` 0: as OpenVINO likes."""
        import openvino  # slow import
        from safetensors.numpy import load_file  # slow import

        core = openvino.Core()
        if precision == "auto":
            # Listed only where there are instructions for it (avx512_bf16, amx); elsewhere it would be emulated.
            precision = "bf16" if "BF16" in core.get_property("CPU", "OPTIMIZATION_CAPABILITIES") else "f32"
        self.precision = precision
        self.streams = min(MAX_STREAMS, threads or len(os.sched_getaffinity(0)))
        hints: dict[str, Any] = {"NUM_STREAMS": str(self.streams), "INFERENCE_PRECISION_HINT": self.precision}
        if threads:
            hints["INFERENCE_NUM_THREADS"] = threads
        self._compiled = core.compile_model(_GraphBuilder(load_file(weights)).model(), "CPU", hints)
        self._idle: list[Any] = []

    def infer(self, batches: Iterable[Sequence[Sequence[int]]]) -> Iterator[ModelOutput]:
        """For each batch of rows of token numbers, in order: token states [rows, longest row or more, 384] and unit
        vectors [rows, 384]. Several batches are read at once.

        States beyond the end of a row are meaningless.
        """
        begun: deque[Any] = deque()
        try:
            for batch in batches:
                if len(begun) > self.streams:  # one more than are read, so that no stream waits for the next
                    yield self._finish_request(begun.popleft())
                begun.append(self._start_request(batch))
            while begun:
                yield self._finish_request(begun.popleft())
        finally:
            for request in begun:  # after an error; their results go with them
                request.wait()

    def _start_request(self, rows: Sequence[Sequence[int]]) -> Any:
        # Requests keep their buffers, and one serves one call at a time: borrow an idle one or make another.
        # Web threads are short-lived, so the requests belong to the model and not to the threads.
        try:
            request = self._idle.pop()
        except IndexError:
            request = self._compiled.create_infer_request()
        request.start_async([_pad_rows(rows)])
        return request

    def _finish_request(self, request: Any) -> ModelOutput:
        request.wait()
        states, vectors = (request.get_output_tensor(index).data.copy() for index in range(2))
        self._idle.append(request)
        return states, vectors


def _pad_rows(rows: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    # OpenVINO keeps compiled code for each shape it has seen: with every length its own, memory doubles in time.
    width = -(-max(map(len, rows)) // PADDING_STEP) * PADDING_STEP
    padded = np.full((len(rows), width), PAD_ID, np.int64)
    for index, row in enumerate(rows):
        padded[index, : len(row)] = row
    return padded


class _GraphBuilder:
    """Token numbers [batch, tokens], padded with zeros → token states and mean-pooled unit vectors."""

    def __init__(self, weights: Weights) -> None:
        from openvino import opset13  # slow import

        self._ops: Any = opset13
        self._weights = weights

    def model(self) -> Any:
        import openvino  # slow import

        ops = self._ops
        ids = ops.parameter([-1, -1], np.int64, name="ids")
        is_token = ops.not_equal(ids, self._integers(PAD_ID))
        attended = ops.unsqueeze(is_token, self._integers(1, 2))
        states = self._embeddings(ids)
        for number in range(LAYERS):
            states = self._layer(states, attended, f"encoder.layer.{number}")
        results = [ops.result(states), ops.result(self._mean_pool(states, is_token))]
        return openvino.Model(results, [ids], "minilm")

    def _embeddings(self, ids: Any) -> Any:
        ops = self._ops
        # Every token is of the first of the two types, so its row is part of each position's.
        positions = (
            self._weights["embeddings.position_embeddings.weight"]
            + self._weights["embeddings.token_type_embeddings.weight"][0]
        )
        zero, one = self._integers(0), self._integers(1)
        length = ops.gather(ops.shape_of(ids), one, zero)
        position = ops.slice(self._floats(positions), zero, length, one, zero)
        words = ops.gather(self._weight("embeddings.word_embeddings.weight"), ids, zero)
        return self._layer_norm(ops.add(words, position), "embeddings.LayerNorm")

    def _layer(self, states: Any, attended: Any, name: str) -> Any:
        ops = self._ops
        mixed = self._linear(self._attention(states, attended, name), f"{name}.attention.output.dense")
        states = self._layer_norm(ops.add(states, mixed), f"{name}.attention.output.LayerNorm")
        inner = ops.gelu(self._linear(states, f"{name}.intermediate.dense"), "erf")
        outer = self._linear(inner, f"{name}.output.dense")
        return self._layer_norm(ops.add(states, outer), f"{name}.output.LayerNorm")

    def _attention(self, states: Any, attended: Any, name: str) -> Any:
        ops = self._ops
        swap = self._integers(0, 2, 1, 3)
        split = self._integers(0, 0, HEADS, DIMENSIONS // HEADS)
        parts = (self._linear(states, f"{name}.attention.self.{part}") for part in ("query", "key", "value"))
        query, key, value = (ops.transpose(ops.reshape(part, split, True), swap) for part in parts)
        heads = ops.scaled_dot_product_attention(query, key, value, attended)
        return ops.reshape(ops.transpose(heads, swap), self._integers(0, 0, DIMENSIONS), True)

    def _mean_pool(self, states: Any, is_token: Any) -> Any:
        ops = self._ops
        weight = ops.unsqueeze(ops.convert(is_token, "f32"), self._integers(2))
        total = ops.reduce_sum(ops.multiply(states, weight), self._integers(1))
        mean = ops.divide(total, ops.reduce_sum(weight, self._integers(1)))
        return ops.normalize_l2(mean, self._integers(1), 1e-12, "max")

    def _linear(self, states: Any, name: str) -> Any:
        product = self._ops.matmul(states, self._weight(f"{name}.weight"), False, True)
        return self._ops.add(product, self._weight(f"{name}.bias"))

    def _layer_norm(self, states: Any, name: str) -> Any:
        scaled = self._ops.mvn(states, self._integers(-1), True, 1e-12, "inside_sqrt")
        scaled = self._ops.multiply(scaled, self._weight(f"{name}.weight"))
        return self._ops.add(scaled, self._weight(f"{name}.bias"))

    def _weight(self, name: str) -> Any:
        return self._floats(self._weights[name])

    def _floats(self, values: NDArray[np.float32]) -> Any:
        return self._ops.constant(np.ascontiguousarray(values, dtype=np.float32))

    def _integers(self, *values: int) -> Any:
        return self._ops.constant(np.array(values, np.int64))
