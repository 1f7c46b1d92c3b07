"""A BERT encoder of MiniLM's size on OpenVINO: the operations of its graph, and the compiled model that runs it.

384 wide, with twelve heads. Neither PyTorch nor ONNX takes part. Nothing here phones home: OpenVINO's telemetry is a
separate package that only its model converter uses.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

import numpy as np

from knowledge.embedders import int8
from knowledge.embedders.int8 import InputRounding, Int8Input, rounded_weights
from knowledge.embedders.openvino_import import import_openvino

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from knowledge.embedders.model_cache import ModelCache

    Weights = Mapping[str, NDArray[np.float32]]
    Arrays = Sequence[NDArray[Any]]

DIMENSIONS = 384
HEADS = 12
# OpenVINO keeps compiled code for each shape it has seen: with every length its own, memory doubles in time.
PADDING_STEP = 8
# Batches that are read side by side, each by its share of the threads. Threads that read one batch together wait for
# each other at every step: on two busy cores four windows apart take little more than half the time of four in a batch.
# Each stream has memory of its own, so there are few.
MAX_STREAMS = 4
# The code that decides what a graph is.
GRAPH_SOURCES = (Path(__file__), Path(int8.__file__))
# int8: the matrices that the graph rounds to eight bits; everything else in bf16.
Precision = Literal["int8", "bf16", "f32"]
Model = TypeVar("Model")


class CompiledModel:
    """A graph that is ready to run. Any number of threads may call it at once; a forked process must build its own."""

    def __init__(
        self,
        build: Callable[[], Any],
        *,
        precision: Precision,
        threads: int = 0,
        cache: ModelCache | None = None,
    ) -> None:
        """`build` makes the graph. `threads` 0: as OpenVINO likes."""
        core = import_openvino().Core()
        self.streams = min(MAX_STREAMS, threads or len(os.sched_getaffinity(0)))
        between = "bf16" if precision == "int8" else precision
        hints: dict[str, Any] = {"NUM_STREAMS": str(self.streams), "INFERENCE_PRECISION_HINT": between}
        if threads:
            hints["INFERENCE_NUM_THREADS"] = threads
        self.network = cache.load(core, build, hints) if cache else core.compile_model(build(), "CPU", hints)
        self._outputs = len(self.network.outputs)
        self._idle: list[Any] = []

    def infer(self, batches: Iterable[Arrays]) -> Iterator[tuple[NDArray[np.float32], ...]]:
        """For each batch of inputs, in order, copies of the graph's outputs. Several batches are read at once."""
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

    def _start_request(self, inputs: Arrays) -> Any:
        # Requests keep their buffers, and one serves one call at a time: borrow an idle one or make another.
        # Web threads are short-lived, so the requests belong to the model and not to the threads.
        try:
            request = self._idle.pop()
        except IndexError:
            request = self.network.create_infer_request()
        request.start_async(list(inputs))
        return request

    def _finish_request(self, request: Any) -> tuple[NDArray[np.float32], ...]:
        request.wait()
        outputs = tuple(request.get_output_tensor(index).data.copy() for index in range(self._outputs))
        self._idle.append(request)
        return outputs


def usual_precision() -> Precision:
    """int8 where the CPU computes in bf16, and so in int8 too; else f32."""
    return "int8" if computes_in_bf16() else "f32"


@cache
def computes_in_bf16() -> bool:
    """Whether the processor has instructions for it (avx512_bf16, amx); elsewhere it would be emulated. Those that do
    multiply eight bits quickly as well (VNNI)."""
    return "BF16" in import_openvino().Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")


class PerProcess(Generic[Model]):
    """One model for each process, built on first use.

    OpenVINO's threads do not survive a fork, so each process has its own model, and its own lock too: the parent's may
    have been held by another thread at the moment of the fork.
    """

    def __init__(self, build: Callable[[], Model]) -> None:
        self._build = build
        self._locks: dict[int, threading.Lock] = {}
        self._models: dict[int, Model] = {}

    def get(self) -> Model:
        process = os.getpid()
        if process not in self._models:
            with self._locks.setdefault(process, threading.Lock()):
                if process not in self._models:
                    self._models = {process: self._build()}
        return self._models[process]


def pad_rows(rows: Sequence[Sequence[int]], *, value: int) -> NDArray[np.int64]:
    """int64 [rows, longest row, rounded up to PADDING_STEP]."""
    width = -(-max(map(len, rows)) // PADDING_STEP) * PADDING_STEP
    padded = np.full((len(rows), width), value, np.int64)
    for index, row in enumerate(rows):
        padded[index, : len(row)] = row
    return padded


class GraphBuilder:
    """Parts of the graph. `weights` have the names that the Hugging Face library gives them; the matrices whose inputs
    `int8_inputs` has are rounded to eight bits."""

    def __init__(self, weights: Weights, int8_inputs: Mapping[str, Int8Input] = MappingProxyType({})) -> None:
        from openvino import opset13  # slow import

        self.ops: Any = opset13
        self._weights = weights
        self._rounding = InputRounding(self.ops, int8_inputs)

    def embeddings(self, words: Any) -> Any:
        """From the rows of the word table, [batch, tokens, 384]."""
        ops = self.ops
        # Every token is of the first of the two types, so its row is part of each position's.
        positions = (
            self._weights["embeddings.position_embeddings.weight"]
            + self._weights["embeddings.token_type_embeddings.weight"][0]
        )
        zero, one = self.integers(0), self.integers(1)
        length = ops.gather(ops.shape_of(words), one, zero)
        position = ops.slice(self._floats(positions), zero, length, one, zero)
        return self._layer_norm(ops.add(words, position), "embeddings.LayerNorm")

    def layer(self, states: Any, attended: Any, name: str) -> Any:
        ops = self.ops
        mixed = self.linear(self._attention(states, attended, name), f"{name}.attention.output.dense")
        states = self._layer_norm(ops.add(states, mixed), f"{name}.attention.output.LayerNorm")
        inner = ops.gelu(self.linear(states, f"{name}.intermediate.dense"), "erf")
        outer = self.linear(inner, f"{name}.output.dense")
        return self._layer_norm(ops.add(states, outer), f"{name}.output.LayerNorm")

    def linear(self, states: Any, name: str) -> Any:
        scales = self._rounding.scales(name)
        if scales is None:
            matrix = self.weight(f"{name}.weight")
        else:
            states = self._rounding.round(states, name)
            matrix = rounded_weights(self.ops, self._weights[f"{name}.weight"], scales)
        product = self.ops.matmul(states, matrix, False, True)
        return self.ops.add(product, self.weight(f"{name}.bias"))

    def weight(self, name: str) -> Any:
        return self._floats(self._weights[name])

    def integers(self, *values: int) -> Any:
        return self.ops.constant(np.array(values, np.int64))

    def _attention(self, states: Any, attended: Any, name: str) -> Any:
        ops = self.ops
        swap = self.integers(0, 2, 1, 3)
        split = self.integers(0, 0, HEADS, DIMENSIONS // HEADS)
        parts = (self.linear(states, f"{name}.attention.self.{part}") for part in ("query", "key", "value"))
        query, key, value = (ops.transpose(ops.reshape(part, split, True), swap) for part in parts)
        heads = ops.scaled_dot_product_attention(query, key, value, attended)
        return ops.reshape(ops.transpose(heads, swap), self.integers(0, 0, DIMENSIONS), True)

    def _layer_norm(self, states: Any, name: str) -> Any:
        scaled = self.ops.mvn(states, self.integers(-1), True, 1e-12, "inside_sqrt")
        scaled = self.ops.multiply(scaled, self.weight(f"{name}.weight"))
        return self.ops.add(scaled, self.weight(f"{name}.bias"))

    def _floats(self, values: NDArray[np.float32]) -> Any:
        return self.ops.constant(np.ascontiguousarray(values, dtype=np.float32))
